// The predictor modes whose inverse works on several rows at the same time: modes that use the left pixel and not the
// top right one (RFC 9649, section 3.5.1). Mode 6 is also of this kind, but encoders rarely select it.
//
// Unsafe code: One precondition checks all rows, the row above, and the margin around them. Waves read the margin
// and write it back unchanged.
// Plain formula: `PlainTransform` in Tests/TestSupport/PlainTransform.swift.

internal import WebPFormat

/// Returns whether `addWave` implements the mode.
@inline(__always)
func hasWave(_ mode: UInt8) -> Bool {
  switch mode {
  case 1, 7, 11, 12, 13: true
  default: false
  }
}

/// Adds a mode's predictions to the pixels from `start` to `end` of four or eight rows.
///
/// The caller guarantees that `start` is at least 1, that `stride` is at least 32, and that the row above and
/// `predictionMargin` pixels after the last row can be read and written.
///
/// - Parameters:
///   - strips: the number of strips of four rows: 1 or 2.
///   - isAhead: from `start` on, each row already has two more finished pixels than the row below it. The last row has
///     none.
func addWave(
  mode: UInt8, _ row: UnsafeMutableRawPointer, stride: Int, strips: Int, from start: Int, to end: Int, isAhead: Bool
) {
  switch mode {
  case 1: unsafe addWave(Left.self, row, stride: stride, strips, from: start, to: end, isAhead: isAhead)
  case 7: unsafe addWave(LeftTop.self, row, stride: stride, strips, from: start, to: end, isAhead: isAhead)
  case 11: unsafe addWave(Select.self, row, stride: stride, strips, from: start, to: end, isAhead: isAhead)
  case 12: unsafe addWave(ClampedSum.self, row, stride: stride, strips, from: start, to: end, isAhead: isAhead)
  case 13: unsafe addWave(ClampedHalfSum.self, row, stride: stride, strips, from: start, to: end, isAhead: isAhead)
  default: preconditionFailure("no wave for this mode")
  }
}

/// The prediction of a mode for four pixels.
protocol WaveMode {
  static func prediction(_ left: Bytes, _ top: Bytes, _ topLeft: Bytes) -> Bytes
  /// Indicates whether the mode is frequent in areas of one color. If so, `Strip` tests whether it can copy that color.
  static var isForFlat: Bool { get }
}

extension WaveMode {
  @inline(__always)
  static var isForFlat: Bool { false }
}

private enum Left: WaveMode {
  @inline(__always)
  static func prediction(_ left: Bytes, _ top: Bytes, _ topLeft: Bytes) -> Bytes { left }
}

private enum LeftTop: WaveMode {
  @inline(__always)
  static func prediction(_ left: Bytes, _ top: Bytes, _ topLeft: Bytes) -> Bytes { left.averageDown(top) }
}

private enum Select: WaveMode {
  @inline(__always)
  static var isForFlat: Bool { true }

  @inline(__always)
  static func prediction(_ left: Bytes, _ top: Bytes, _ topLeft: Bytes) -> Bytes {
    let fromLeft = pairSums(left.absoluteDifference(topLeft))
    let fromTop = pairSums(top.absoluteDifference(topLeft))
    // The upper word of a pixel becomes the sum of both words. Its sign is the sign of the pixel's difference.
    let pairs = fromLeft &- fromTop
    let sums = pairs &+ cast(cast(pairs, as: SIMD4<UInt32>.self) &<< 16, as: SignedWords.self)
    let isLeft = cast(cast(sums, as: SIMD4<Int32>.self) .> SIMD4(repeating: 0xFFFF), as: Bytes.self)
    return left.and(isLeft).or(top.and(isLeft.inverted))
  }

  /// The sum of each pair of neighboring bytes, as words.
  @inline(__always)
  private static func pairSums(_ bytes: Bytes) -> SignedWords {
    let even = cast(bytes.and(Bytes(0x00FF_00FF)), as: SignedWords.self)
    return even &+ cast(cast(bytes, as: Words.self) &>> 8, as: SignedWords.self)
  }
}

private enum ClampedSum: WaveMode {
  @inline(__always)
  static func prediction(_ left: Bytes, _ top: Bytes, _ topLeft: Bytes) -> Bytes {
    // One of the two differences is zero, so the intermediate clamping has no effect.
    left.addingSaturated(top.subtractingSaturated(topLeft)).subtractingSaturated(topLeft.subtractingSaturated(top))
  }
}

private enum ClampedHalfSum: WaveMode {
  @inline(__always)
  static func prediction(_ left: Bytes, _ top: Bytes, _ topLeft: Bytes) -> Bytes {
    let average = left.averageDown(top)
    return average.addingSaturated(half(average.subtractingSaturated(topLeft)))
      .subtractingSaturated(half(topLeft.subtractingSaturated(average)))
  }

  @inline(__always)
  private static func half(_ bytes: Bytes) -> Bytes {
    cast(cast(bytes, as: Words.self) &>> 1, as: Bytes.self).and(Bytes(repeating: 0x7F))
  }
}
