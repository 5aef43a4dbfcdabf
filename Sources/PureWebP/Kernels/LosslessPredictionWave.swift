// Undoing a predictor mode in four rows at once (RFC 9649, section 3.5.1).
//
// Lane k of a vector is a pixel of row k, two columns behind row k − 1:
//
//   step           s         s + 1            In row k the left pixel is the last step's result. Top and top left
//   row 0          ■           □              are what the row above had in the two steps before: nothing that a
//   row 1      ■   .       □   .              step waits for but its left pixel.
//   row 2  ■   .   .   □   .   .
//
// Four steps make a square of 4 × 4 pixels for each row, turned by two transpositions.

/// Whether `addWave` knows the mode.
@inline(__always)
func hasWave(_ mode: UInt8) -> Bool {
  switch mode {
  case 1, 6, 7, 11, 12, 13: true
  default: false
  }
}

/// Adds a mode's predictions to the pixels from `start` to `end` of four rows.
///
/// The caller has proved that `start` is 1 or more, `stride` 32 or more, and that the row above and
/// `predictionMargin` pixels behind the last row may be read and written.
///
/// - Parameter isAhead: whether the upper rows have their first six, four and two pixels already.
func addWave(
  mode: UInt8, _ row: UnsafeMutableRawPointer, stride: Int, from start: Int, to end: Int, isAhead: Bool
) {
  switch mode {
  case 1: unsafe wave(Left.self, row, stride: stride, from: start, to: end, isAhead: isAhead)
  case 6: unsafe wave(LeftTopLeft.self, row, stride: stride, from: start, to: end, isAhead: isAhead)
  case 7: unsafe wave(LeftTop.self, row, stride: stride, from: start, to: end, isAhead: isAhead)
  case 11: unsafe wave(Select.self, row, stride: stride, from: start, to: end, isAhead: isAhead)
  case 12: unsafe wave(ClampedSum.self, row, stride: stride, from: start, to: end, isAhead: isAhead)
  case 13: unsafe wave(ClampedHalfSum.self, row, stride: stride, from: start, to: end, isAhead: isAhead)
  default: preconditionFailure("no wave for this mode")
  }
}

/// What a mode predicts for four pixels.
private protocol WaveMode {
  static func prediction(_ left: Bytes, _ top: Bytes, _ topLeft: Bytes) -> Bytes
  /// Whether the mode is one of flat pictures, for which it is worth looking whether four columns are all the same.
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

private enum LeftTopLeft: WaveMode {
  @inline(__always)
  static func prediction(_ left: Bytes, _ top: Bytes, _ topLeft: Bytes) -> Bytes { left.averageDown(topLeft) }
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
    // The upper word of a pixel becomes the sum of both: its sign is that of the pixel's difference.
    let pairs = fromLeft &- fromTop
    let sums = pairs &+ bits(bits(pairs, as: SIMD4<UInt32>.self) &<< 16, as: SignedWords.self)
    let isLeft = bits(bits(sums, as: SIMD4<Int32>.self) .> SIMD4(repeating: 0xFFFF), as: Bytes.self)
    return left.and(isLeft).or(top.and(isLeft.inverted))
  }

  /// Words with the sum of two neighbouring bytes.
  @inline(__always)
  private static func pairSums(_ bytes: Bytes) -> SignedWords {
    let even = bits(bytes.and(Bytes(0x00FF_00FF)), as: SignedWords.self)
    return even &+ bits(bits(bytes, as: Words.self) &>> 8, as: SignedWords.self)
  }
}

private enum ClampedSum: WaveMode {
  @inline(__always)
  static func prediction(_ left: Bytes, _ top: Bytes, _ topLeft: Bytes) -> Bytes {
    // One of the two differences is zero, so that clamping once is clamping at last.
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
    bits(bits(bytes, as: Words.self) &>> 1, as: Bytes.self).and(Bytes(repeating: 0x7F))
  }
}

@inline(never)
private func wave<Mode: WaveMode>(
  _: Mode.Type, _ row0: UnsafeMutableRawPointer, stride: Int, from start: Int, to end: Int, isAhead: Bool
) {
  let above = unsafe row0 - 4 &* stride
  let row1 = unsafe row0 + 4 &* stride
  let row2 = unsafe row1 + 4 &* stride
  let row3 = unsafe row2 + 4 &* stride

  @inline(__always)
  func lanes(_ x: Int) -> Bytes {
    let pixels = unsafe SIMD4(row0.pixel(x), row1.pixel(x &- 2), row2.pixel(x &- 4), row3.pixel(x &- 6))
    return bits(pixels, as: Bytes.self)
  }
  var left = lanes(start &- 1)
  var beforeLeft = lanes(start &- 2)
  var topLeft = unsafe bits(
    SIMD4(above.pixel(start &- 1), row0.pixel(start &- 3), row1.pixel(start &- 5), row2.pixel(start &- 7)),
    as: Bytes.self)

  // Lane k starts in step 2k, or at once where the rows above are that far already, and works on `count` pixels.
  let count = end &- start
  let firstColumn = isAhead ? SIMD4<Int32>(6, 4, 2, 0) : SIMD4<Int32>(repeating: 0)
  let lastColumn = SIMD4(repeating: Int32(truncatingIfNeeded: count))

  for group in 0..<(count &+ 9) &>> 2 {
    let step = 4 &* group
    let x = start &+ step
    let stored0 = unsafe row0.fourPixels(x)
    let stored1 = unsafe row1.fourPixels(x &- 2)
    let stored2 = unsafe row2.fourPixels(x &- 4)
    let stored3 = unsafe row3.fourPixels(x &- 6)
    let tops = unsafe bits(above.fourPixels(x), as: SIMD4<UInt32>.self)
    let isInside = step > 4 && step &+ 3 < count

    if Mode.isForFlat, isInside {
      let flat = Bytes(tops[3])
      let residuals = stored0.or(stored1).or(stored2.or(stored3))
      let differences = left.xor(flat).or(beforeLeft.xor(flat)).or(
        topLeft.xor(flat).or(bits(tops, as: Bytes.self).xor(flat)))
      if residuals.or(differences).isZero {
        unsafe row0.store(flat, x)
        unsafe row1.store(flat, x &- 2)
        unsafe row2.store(flat, x &- 4)
        unsafe row3.store(flat, x &- 6)
        continue
      }
    }

    let (residual0, residual1, residual2, residual3) = transposed(stored0, stored1, stored2, stored3)
    /// Zero in the lanes that have not begun, or have ended.
    @inline(__always)
    func isActive(_ offset: Int) -> Bytes {
      let column = SIMD4<Int32>(0, -2, -4, -6) &+ SIMD4(repeating: Int32(truncatingIfNeeded: step &+ offset))
      return bits(column .>= firstColumn, as: Bytes.self).and(bits(column .< lastColumn, as: Bytes.self))
    }
    @inline(__always)
    func result(_ residual: Bytes, _ offset: Int, _ left: Bytes, _ top: Bytes, _ topLeft: Bytes) -> Bytes {
      let prediction = Mode.prediction(left, top, topLeft)
      return residual &+ (isInside ? prediction : prediction.and(isActive(offset)))
    }
    let top0 = beforeLeft.shiftedIn(tops[0])
    let result0 = result(residual0, 0, left, top0, topLeft)
    let top1 = left.shiftedIn(tops[1])
    let result1 = result(residual1, 1, result0, top1, top0)
    let top2 = result0.shiftedIn(tops[2])
    let result2 = result(residual2, 2, result1, top2, top1)
    let top3 = result1.shiftedIn(tops[3])
    let result3 = result(residual3, 3, result2, top3, top2)
    (beforeLeft, left, topLeft) = (result2, result3, top3)

    let (finished0, finished1, finished2, finished3) = transposed(result0, result1, result2, result3)
    unsafe row0.store(finished0, x)
    unsafe row1.store(finished1, x &- 2)
    unsafe row2.store(finished2, x &- 4)
    unsafe row3.store(finished3, x &- 6)
  }
}

extension SIMD16<UInt8> {
  /// The pixels one lane up, with `pixel` as the first.
  @inline(__always)
  fileprivate func shiftedIn(_ pixel: Pixel) -> Self {
    let pixels = bits(self, as: SIMD4<UInt32>.self)
    return bits(SIMD4(pixel, pixels[0], pixels[1], pixels[2]), as: Self.self)
  }
}

/// Four rows of four pixels as four columns.
@inline(__always)
private func transposed(_ a: Bytes, _ b: Bytes, _ c: Bytes, _ d: Bytes) -> (Bytes, Bytes, Bytes, Bytes) {
  typealias Pixels = SIMD4<UInt32>
  typealias Pairs = SIMD2<UInt64>
  let (a, b) = (bits(a, as: Pixels.self), bits(b, as: Pixels.self))
  let (c, d) = (bits(c, as: Pixels.self), bits(d, as: Pixels.self))
  let lowAB = bits(a.interleavedLow(b), as: Pairs.self)
  let lowCD = bits(c.interleavedLow(d), as: Pairs.self)
  let highAB = bits(a.interleavedHigh(b), as: Pairs.self)
  let highCD = bits(c.interleavedHigh(d), as: Pairs.self)
  return (
    bits(lowAB.interleavedLow(lowCD), as: Bytes.self), bits(lowAB.interleavedHigh(lowCD), as: Bytes.self),
    bits(highAB.interleavedLow(highCD), as: Bytes.self), bits(highAB.interleavedHigh(highCD), as: Bytes.self)
  )
}
