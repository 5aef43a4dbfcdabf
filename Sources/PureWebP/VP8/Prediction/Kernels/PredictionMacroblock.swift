// Prediction of complete macroblocks: luma 16 × 16 and chroma 8 × 8 (RFC 6386, sections 12.2 and 12.3).
//
//     corner │ above       `above` is a separate line of unfiltered samples, preceded by the corner.
//     ───────┼────────     `left` is the column before `plane`, in the plane itself.
//       left │ plane
//
// Outside of the image, these samples have the values of a border. DC prediction uses only samples inside of the image.
//
// Unsafe code: Preconditions check planes, strides, the rows above, and quantized coefficients for a complete row of
// macroblocks. Within the row, offsets depend only on the macroblock's column, never on the stream.
// Plain formula: `PlainVP8.predict` in Tests/PureWebPTests/Reference/PlainVP8.swift.

internal import WebPFormat

/// The neighbors of a macroblock that lie inside of the image.
struct Neighbors {
  var hasLeft: Bool
  var hasAbove: Bool
}

/// Predicts the 16 × 16 luma pixels of a macroblock.
@inline(__always)
func predictLuma(
  _ mode: MacroblockMode, _ plane: UnsafeMutableRawPointer, stride: Int, above: UnsafeRawPointer, _ neighbors: Neighbors
) {
  let top = unsafe above.loadUnaligned(as: Bytes.self)
  switch mode {
  case .dc:
    var sum: UInt32 = 0
    if neighbors.hasAbove { sum &+= top.sum }
    if neighbors.hasLeft { sum &+= unsafe sumOfLeft(plane, stride: stride, count: 16) }
    let dc = average(sum, of: 16, neighbors)
    unsafe fill(plane, stride: stride) { _ in Bytes(repeating: dc) }
  case .vertical:
    unsafe fill(plane, stride: stride) { _ in top }
  case .horizontal:
    unsafe fill(plane, stride: stride) { Bytes(repeating: $0) }
  case .trueMotion:
    let corner = unsafe SignedWords(repeating: Int16(above.load(fromByteOffset: -1, as: UInt8.self)))
    let low = top.widenedLow &- corner
    let high = top.widenedHigh &- corner
    unsafe fill(plane, stride: stride) { left in
      let left = SignedWords(repeating: Int16(left))
      return (low &+ left).narrowed(high &+ left)
    }
  }
}

/// Predicts the 8 × 8 pixels of one chroma plane of a macroblock.
@inline(never)
func predictChroma(
  _ mode: MacroblockMode, _ plane: UnsafeMutableRawPointer, stride: Int, above: UnsafeRawPointer, _ neighbors: Neighbors
) {
  let top = unsafe above.loadUnaligned(as: UInt64.self)
  switch mode {
  case .dc:
    var sum: UInt32 = 0
    if neighbors.hasAbove { sum &+= top.sumOfBytes }
    if neighbors.hasLeft { sum &+= unsafe sumOfLeft(plane, stride: stride, count: 8) }
    let dc = average(sum, of: 8, neighbors)
    let eight = UInt64(dc) &* 0x0101_0101_0101_0101
    unsafe fillEight(plane, stride: stride) { _ in eight }
  case .vertical:
    unsafe fillEight(plane, stride: stride) { _ in top }
  case .horizontal:
    unsafe fillEight(plane, stride: stride) { UInt64($0) &* 0x0101_0101_0101_0101 }
  case .trueMotion:
    let corner = unsafe SignedWords(repeating: Int16(above.load(fromByteOffset: -1, as: UInt8.self)))
    let offsets = cast(SIMD2(top, 0), as: Bytes.self).widenedLow &- corner
    unsafe fillEight(plane, stride: stride) { left in
      let row = offsets &+ SignedWords(repeating: Int16(left))
      return cast(row.narrowed(row), as: SIMD2<UInt64>.self)[0]
    }
  }
}

/// The rounded average of `sum` over the available edges, which have `size` pixels each. 128 if there are none.
@inline(__always)
private func average(_ sum: UInt32, of size: UInt32, _ neighbors: Neighbors) -> UInt8 {
  let shift: UInt32 = size == 16 ? 4 : 3
  return switch (neighbors.hasLeft, neighbors.hasAbove) {
  case (true, true): UInt8(truncatingIfNeeded: (sum &+ size) &>> (shift &+ 1))
  case (false, false): 128
  default: UInt8(truncatingIfNeeded: (sum &+ size &>> 1) &>> shift)
  }
}

@inline(__always)
private func sumOfLeft(_ plane: UnsafeMutableRawPointer, stride: Int, count: Int) -> UInt32 {
  var sum: UInt32 = 0
  for y in 0..<count { sum &+= UInt32(unsafe plane.load(fromByteOffset: y &* stride &- 1, as: UInt8.self)) }
  return sum
}

/// Writes sixteen rows. `row` computes a row from the pixel to its left.
@inline(__always)
private func fill(_ plane: UnsafeMutableRawPointer, stride: Int, _ row: (_ left: UInt8) -> Bytes) {
  for y in 0..<16 {
    let line = unsafe plane + y &* stride
    unsafe line.storeBytes(of: row(line.load(fromByteOffset: -1, as: UInt8.self)), as: Bytes.self)
  }
}

/// Writes eight rows of eight pixels in the same way.
@inline(__always)
private func fillEight(_ plane: UnsafeMutableRawPointer, stride: Int, _ row: (_ left: UInt8) -> UInt64) {
  for y in 0..<8 {
    let line = unsafe plane + y &* stride
    unsafe line.storeBytes(of: row(line.load(fromByteOffset: -1, as: UInt8.self)), as: UInt64.self)
  }
}

extension UInt64 {
  /// The sum of the bytes: neighbors are added first, and a multiplication adds the four words in the topmost one.
  @inline(__always)
  fileprivate var sumOfBytes: UInt32 {
    let pairs = (self & 0x00FF_00FF_00FF_00FF) &+ ((self &>> 8) & 0x00FF_00FF_00FF_00FF)
    return UInt32(truncatingIfNeeded: (pairs &* 0x0001_0001_0001_0001) &>> 48)
  }
}

extension SIMD16<UInt8> {
  @inline(__always)
  fileprivate var sum: UInt32 {
    let halves = cast(self, as: SIMD2<UInt64>.self)
    return halves[0].sumOfBytes &+ halves[1].sumOfBytes
  }
}
