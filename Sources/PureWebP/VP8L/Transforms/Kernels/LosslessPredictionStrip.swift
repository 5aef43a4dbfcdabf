// The inverse of a predictor mode in four or eight rows at the same time (RFC 9649, section 3.5.1).
//
// Lane k of a vector is a pixel of row k, two columns to the left of the pixel of row k − 1:
//
//     step           s         s + 1
//     row 0          ■           □
//     row 1      ■   .       □   .
//     row 2  ■   .   .   □   .   .
//
// In row k, the left pixel is the result of the previous step. The top pixel and the top left pixel are results for row
// k − 1 of earlier steps. So a step waits only for its left pixel.
//
// Four steps process a square: four pixels of each of the four rows. A transposition converts rows of pixels to lanes,
// and another one converts lanes to rows.
//
// Each step depends on the previous one, which leaves the processor underused. Therefore eight rows are processed as
// two strips of four rows. The lower strip starts three squares later, when the row above it is finished that far. So
// the strips do not wait for each other.
//
// Unsafe code: One precondition checks all rows, the row above, and the margin around them. Waves read the margin
// and write it back unchanged.
// Plain formula: `PlainTransform` in Tests/TestSupport/PlainTransform.swift.

internal import WebPFormat

/// Adds a mode's predictions. See `addWave(mode:…)`.
@inline(never)
func addWave<Mode: WaveMode>(
  _: Mode.Type, _ row: UnsafeMutableRawPointer, stride: Int, _ strips: Int, from start: Int, to end: Int, isAhead: Bool
) {
  // The number of pixels by which the last row of the upper strip is ahead.
  let lead = isAhead ? 8 &* (strips &- 1) : 0
  var upper = unsafe Strip(row, stride: stride, from: start, to: end, isAhead: isAhead, lead: lead)
  var lower = upper
  var delay = 0
  if strips > 1 {
    lower = unsafe Strip(row + 16 &* stride, stride: stride, from: start, to: end, isAhead: isAhead, lead: 0)
    delay = 3
  }
  for square in 0..<upper.squares &+ delay {
    if square < upper.squares { upper.advance(Mode.self, square) }
    if strips > 1, square >= delay { lower.advance(Mode.self, square &- delay) }
  }
}

/// Four rows, and the state of their lanes.
@safe private struct Strip {
  private let above: UnsafeMutableRawPointer
  private let row0: UnsafeMutableRawPointer
  private let row1: UnsafeMutableRawPointer
  private let row2: UnsafeMutableRawPointer
  private let row3: UnsafeMutableRawPointer
  private let start: Int
  private let count: Int
  /// The columns, counted from `start`, at which the lanes start and end. Lanes skip the pixels by which their rows are
  /// ahead.
  private let firstColumn: SIMD4<Int32>
  private let lastColumn: SIMD4<Int32>
  /// The step from which on all lanes are active, until the first one ends.
  private let lastBeginning: Int
  private var left: Bytes
  private var beforeLeft: Bytes
  private var topLeft: Bytes

  /// The number of squares in each row, including incomplete ones at both ends.
  var squares: Int { (count &+ 9) &>> 2 }

  @inline(__always)
  init(
    _ row: UnsafeMutableRawPointer, stride: Int, from start: Int, to end: Int, isAhead: Bool, lead: Int
  ) {
    unsafe row0 = row
    unsafe row1 = row + 4 &* stride
    unsafe row2 = row + 8 &* stride
    unsafe row3 = row + 12 &* stride
    unsafe above = row - 4 &* stride
    self.start = start
    count = end &- start
    let column = Int32(truncatingIfNeeded: lead)
    firstColumn = isAhead ? SIMD4(column &+ 6, column &+ 4, column &+ 2, column) : SIMD4(repeating: 0)
    lastColumn = SIMD4(repeating: Int32(truncatingIfNeeded: count))
    lastBeginning = lead &+ 6
    left = unsafe Self.lanes(row0, row1, row2, row3, start &- 1)
    beforeLeft = unsafe Self.lanes(row0, row1, row2, row3, start &- 2)
    topLeft = unsafe Self.lanes(above, row0, row1, row2, start &- 1)
  }

  @inline(__always)
  private static func lanes(
    _ a: UnsafeMutableRawPointer, _ b: UnsafeMutableRawPointer, _ c: UnsafeMutableRawPointer,
    _ d: UnsafeMutableRawPointer, _ x: Int
  ) -> Bytes {
    unsafe cast(SIMD4(a.pixel(x), b.pixel(x &- 2), c.pixel(x &- 4), d.pixel(x &- 6)), as: Bytes.self)
  }

  /// Processes one square of each row.
  @inline(__always)
  mutating func advance<Mode: WaveMode>(_: Mode.Type, _ square: Int) {
    let step = 4 &* square
    let x = start &+ step
    let stored0 = unsafe row0.fourPixels(x)
    let stored1 = unsafe row1.fourPixels(x &- 2)
    let stored2 = unsafe row2.fourPixels(x &- 4)
    let stored3 = unsafe row3.fourPixels(x &- 6)
    let tops = unsafe cast(above.fourPixels(x), as: SIMD4<UInt32>.self)
    let isInside = step >= lastBeginning && step &+ 3 < count

    if Mode.isForFlat, isInside {
      let flat = Bytes(tops[3])
      let residuals = stored0.or(stored1).or(stored2.or(stored3))
      let differences = left.xor(flat).or(beforeLeft.xor(flat)).or(
        topLeft.xor(flat).or(cast(tops, as: Bytes.self).xor(flat)))
      if residuals.or(differences).isZero {
        unsafe row0.store(flat, x)
        unsafe row1.store(flat, x &- 2)
        unsafe row2.store(flat, x &- 4)
        unsafe row3.store(flat, x &- 6)
        return
      }
    }

    let (residual0, residual1, residual2, residual3) = transposed(stored0, stored1, stored2, stored3)
    /// All ones in active lanes. Zeros in lanes that have not started yet or have ended.
    @inline(__always)
    func isActive(_ offset: Int) -> Bytes {
      let column = SIMD4<Int32>(0, -2, -4, -6) &+ SIMD4(repeating: Int32(truncatingIfNeeded: step &+ offset))
      return cast(column .>= firstColumn, as: Bytes.self).and(cast(column .< lastColumn, as: Bytes.self))
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
  /// The pixels shifted up by one lane, with `pixel` in lane 0.
  @inline(__always)
  fileprivate func shiftedIn(_ pixel: Pixel) -> Self {
    let pixels = cast(self, as: SIMD4<UInt32>.self)
    return cast(SIMD4(pixel, pixels[0], pixels[1], pixels[2]), as: Self.self)
  }
}

/// Four rows of four pixels as four columns.
@inline(__always)
private func transposed(_ a: Bytes, _ b: Bytes, _ c: Bytes, _ d: Bytes) -> (Bytes, Bytes, Bytes, Bytes) {
  typealias Pixels = SIMD4<UInt32>
  typealias Pairs = SIMD2<UInt64>
  let (a, b) = (cast(a, as: Pixels.self), cast(b, as: Pixels.self))
  let (c, d) = (cast(c, as: Pixels.self), cast(d, as: Pixels.self))
  let lowAB = cast(a.interleavedLow(b), as: Pairs.self)
  let lowCD = cast(c.interleavedLow(d), as: Pairs.self)
  let highAB = cast(a.interleavedHigh(b), as: Pairs.self)
  let highCD = cast(c.interleavedHigh(d), as: Pairs.self)
  return (
    cast(lowAB.interleavedLow(lowCD), as: Bytes.self), cast(lowAB.interleavedHigh(lowCD), as: Bytes.self),
    cast(highAB.interleavedLow(highCD), as: Bytes.self), cast(highAB.interleavedHigh(highCD), as: Bytes.self)
  )
}
