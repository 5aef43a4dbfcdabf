// Intra prediction (RFC 6386, sections 12.2 and 12.3): one function for squares of all sizes, and a table for the
// directions of subblocks.
//
// Unsafe code: Preconditions check the column, and that there are 400 coefficients. Planes have a constant number of
// lines above the macroblocks, and 64 bytes of slack. Offsets depend only on the column.
// Plain formula: `PlainVP8.predict` in Tests/PureWebPTests/Reference/PlainVP8.swift.

internal import WebPFormat

/// Predicts a square of `size` × `size` pixels. If `size` is 4, it also overwrites the four pixels to the right of each
/// row with meaningless values.
///
/// - Parameters:
///   - plane: the first pixel of the square.
///   - above: the line above the square, preceded by the corner.
///   - size: 16, 8 or 4.
///   - hasLeft: whether the pixels to the left are inside of the image.
///   - hasAbove: whether the pixels above are inside of the image.
@inline(never)
func predict(
  _ mode: MacroblockMode, _ plane: UnsafeMutableRawPointer, stride: Int, above: UnsafeRawPointer, size: Int,
  hasLeft: Bool, hasAbove: Bool
) {
  // Depending on the mode, a pixel is the sum of a constant, the pixel above, and the pixel to the left.
  var constant = 0
  if mode == .dc {
    var (sum, count) = (0, 0)
    for i in 0..<size {
      if hasAbove { sum &+= unsafe Int(above.byte(at: i)) }
      if hasLeft { sum &+= unsafe Int(plane.byte(at: i &* stride &- 1)) }
    }
    if hasAbove { count &+= size }
    if hasLeft { count &+= size }
    constant = count == 0 ? 128 : (sum &+ count / 2) / count
  }
  if mode == .trueMotion { constant = unsafe 0 &- Int(above.byte(at: -1)) }
  let usesAbove = mode == .vertical || mode == .trueMotion
  let usesLeft = mode == .horizontal || mode == .trueMotion
  for x in Swift.stride(from: 0, to: size, by: 8) {
    var top = SignedWords(repeating: Int16(truncatingIfNeeded: constant))
    if usesAbove {
      let pixels = unsafe above.loadUnaligned(fromByteOffset: x, as: UInt64.self)
      top = top &+ cast(SIMD2(pixels, 0), as: Bytes.self).widenedLow
    }
    for y in 0..<size {
      let line = unsafe plane + y &* stride
      let row = unsafe usesLeft ? top &+ SignedWords(repeating: Int16(line.byte(at: -1))) : top
      unsafe line.storeBytes(
        of: cast(row.narrowed(row), as: SIMD2<UInt64>.self)[0], toByteOffset: x, as: UInt64.self)
    }
  }
}

/// Predicts a subblock.
///
/// - Parameters:
///   - mode: the raw value of a `SubblockMode`.
///   - above: the line above the subblock, preceded by the corner.
///   - aboveRight: the four pixels to the right of the four pixels above.
@inline(never)
func predictSubblock(
  _ mode: UInt8, _ plane: UnsafeMutableRawPointer, stride: Int, above: UnsafeRawPointer, aboveRight: UnsafeRawPointer
) {
  if mode < SubblockMode.vertical.rawValue {
    return unsafe predict(
      mode == SubblockMode.dc.rawValue ? .dc : .trueMotion, plane, stride: stride, above: above, size: 4, hasLeft: true,
      hasAbove: true)
  }
  // The pixels around the subblock as one string, whose first and last pixels are repeated. Their averages follow:
  //
  //     index    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14          X │ A B C D E F G H
  //     edge     L L K J I X A B C D E  F  G  H  H          ───┼────────
  //     32...    rounded averages of two pixels              I │
  //     48...    rounded 1-2-1 averages of three             J │ …
  unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 16) { memory in
    let edge = unsafe memory.baseAddress.unsafelyUnwrapped
    for y in 0..<rounds(4) {
      unsafe edge.storeBytes(of: plane.byte(at: y &* stride &- 1), toByteOffset: 4 &- y, as: UInt8.self)
    }
    unsafe edge.storeBytes(of: edge.byte(at: 1), as: UInt8.self)
    unsafe edge.storeBytes(of: above.byte(at: -1), toByteOffset: 5, as: UInt8.self)
    unsafe edge.storeBytes(of: above.loadUnaligned(as: UInt32.self), toByteOffset: 6, as: UInt32.self)
    unsafe edge.storeBytes(of: aboveRight.loadUnaligned(as: UInt32.self), toByteOffset: 10, as: UInt32.self)
    unsafe edge.storeBytes(of: edge.byte(at: 13), toByteOffset: 14, as: UInt8.self)
    let (a, b, c) = unsafe (edge.bytes(at: 0), edge.bytes(at: 1), edge.bytes(at: 2))
    unsafe edge.storeBytes(of: a.average(b), toByteOffset: 32, as: Bytes.self)
    // The rounded average of b and ⌊(a + c) / 2⌋.
    let roundedDown = a.average(c) &- a.xor(c).and(Bytes(repeating: 1))
    unsafe edge.storeBytes(of: b.average(roundedDown), toByteOffset: 48, as: Bytes.self)

    let first = Int(mode &- SubblockMode.vertical.rawValue) &* 16
    for y in 0..<4 {
      let line = unsafe plane + y &* stride
      for x in 0..<4 {
        let index = Int(averageIndices[first &+ 4 &* y &+ x])
        unsafe line.storeBytes(of: edge.byte(at: index), toByteOffset: x, as: UInt8.self)
      }
    }
  }
}

/// For each directional mode, in the order of the modes: the index of each pixel's average.
private let averageIndices: [UInt8] = [
  53, 54, 55, 56, 53, 54, 55, 56, 53, 54, 55, 56, 53, 54, 55, 56,  // vertical
  51, 51, 51, 51, 50, 50, 50, 50, 49, 49, 49, 49, 48, 48, 48, 48,  // horizontal
  54, 55, 56, 57, 55, 56, 57, 58, 56, 57, 58, 59, 57, 58, 59, 60,  // leftDown
  52, 53, 54, 55, 51, 52, 53, 54, 50, 51, 52, 53, 49, 50, 51, 52,  // rightDown
  37, 38, 39, 40, 52, 53, 54, 55, 51, 37, 38, 39, 50, 52, 53, 54,  // verticalRight
  38, 39, 40, 41, 54, 55, 56, 57, 39, 40, 41, 58, 55, 56, 57, 59,  // verticalLeft
  36, 52, 53, 54, 35, 51, 36, 52, 34, 50, 35, 51, 33, 49, 34, 50,  // horizontalDown
  35, 50, 34, 49, 34, 49, 33, 48, 33, 48, 32, 32, 32, 32, 32, 32,  // horizontalUp
]
