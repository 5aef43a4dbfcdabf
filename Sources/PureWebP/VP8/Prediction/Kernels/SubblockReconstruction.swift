// The reconstruction of macroblocks with subblock modes (RFC 6386, section 12.3).
//
// Unsafe code: Preconditions check planes, strides, the rows above, and quantized coefficients for a complete row of
// macroblocks. Within the row, offsets depend only on the macroblock's column, never on the stream.
// Plain formula: `PlainVP8.predict` in Tests/PureWebPTests/Reference/PlainVP8.swift.

internal import WebPFormat

/// Predicts and reconstructs the subblocks one after another, because each is predicted from earlier ones. The
/// residuals do not depend on pixels, so all of them are computed first. They replace the coefficients in memory.
///
/// - Parameters:
///   - plane: the macroblock's first luma pixel.
///   - above: the line above it, including four pixels of the next macroblock.
///   - neverOverflows: see `Residual.pair`.
@inline(__always)
func reconstructSubblocks(
  _ macroblock: Macroblock, _ coefficients: UnsafeMutablePointer<Int16>, _ factors: BlockFactors,
  neverOverflows: Bool, _ plane: UnsafeMutableRawPointer, stride: Int, above: UnsafeRawPointer
) {
  unsafe transformInPlace(macroblock.lumaExtents, coefficients, factors, neverOverflows: neverOverflows)
  var modes = macroblock.subblockModes
  var residual = UnsafeRawPointer(coefficients)
  var above = unsafe above
  // In all four rows, the last subblock uses the pixels above the macroblock to the right (section 12.3).
  let aboveRight = unsafe UInt64(above.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
  for y in 0..<4 {
    let line = unsafe plane + y &* 4 &* stride
    var left = unsafe leftColumn(line, stride: stride)
    for x in 0..<4 {
      let next =
        x == 3 ? aboveRight : unsafe UInt64(above.loadUnaligned(fromByteOffset: x &* 4 &+ 4, as: UInt32.self))
      let edge = unsafe SubblockEdge(
        left: left, corner: above.load(fromByteOffset: x &* 4 &- 1, as: UInt8.self),
        above: UInt64(above.loadUnaligned(fromByteOffset: x &* 4, as: UInt32.self)) | next &<< 32)
      let mode = SubblockMode(rawValue: UInt8(truncatingIfNeeded: modes & 15)) ?? .dc
      let pixels = unsafe residual.loadUnaligned(as: Residual.self).added(to: predictSubblock(mode, edge))
      unsafe pixels.storeBlock(to: line + x &* 4, stride: stride)
      left = rightColumn(pixels)
      modes &>>= 4
      unsafe residual += 32
    }
    unsafe above = UnsafeRawPointer(line + 3 &* stride)
  }
}

/// Replaces the coefficients of 16 blocks with their residuals.
@inline(__always)
private func transformInPlace(
  _ extents: UInt32, _ coefficients: UnsafeMutablePointer<Int16>, _ factors: BlockFactors, neverOverflows: Bool
) {
  var extents = extents
  var block = unsafe coefficients
  for _ in 0..<8 {
    let (left, right) = unsafe Residual.pair(extents & 15, block, factors, neverOverflows: neverOverflows)
    unsafe UnsafeMutableRawPointer(block).storeBytes(of: left, as: Residual.self)
    unsafe UnsafeMutableRawPointer(block + 16).storeBytes(of: right, as: Residual.self)
    extents &>>= 4
    unsafe block += 32
  }
}

/// The column before `plane`.
@inline(__always)
private func leftColumn(_ plane: UnsafeMutableRawPointer, stride: Int) -> SIMD4<UInt32> {
  @inline(__always) func pixel(_ y: Int) -> UInt32 {
    unsafe UInt32(plane.load(fromByteOffset: y &* stride &- 1, as: UInt8.self))
  }
  return SIMD4(pixel(0), pixel(1), pixel(2), pixel(3))
}

/// The last column of a block.
@inline(__always)
private func rightColumn(_ pixels: Bytes) -> SIMD4<UInt32> { cast(pixels, as: SIMD4<UInt32>.self) &>> 24 }
