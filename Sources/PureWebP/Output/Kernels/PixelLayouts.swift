// Conversion of R G B A rows to the other packed formats.
//
// Four pixels are one register of 32-bit lanes, R in the lowest byte of each:
//
//   lane   A << 24 | B << 16 | G << 8 | R
//
// For formats of four bytes per pixel, a function rearranges this register. `gray8` and formats of two bytes per
// pixel are computed from one lane at a time.
//
// Unsafe code: Rows from `CheckedRows` have as many bytes as the loops process. The conversions require slack after
// a row if they read past its end. `ColorConversion` writes 64 bytes, and `WideConversion` 128, only if the row or a
// buffer has them.
// Plain formula: `plainPacked` in Tests/PureWebPTests/Reference/PlainImage.swift.

internal import WebPFormat

/// Writes `width` pixels in the packed format `format` at `outputRow`.
///
/// - Parameter rgba: 4 · `width` bytes at `row`.
func packRow(
  rgba: Span<UInt8>, at row: Int, into output: inout MutableSpan<UInt8>, at outputRow: Int, width: Int,
  format: WebP.PixelFormat
) {
  let source = unsafe rgba.row(at: row, count: 4 * width)
  let target = unsafe output.mutableRow(at: outputRow, count: format.bytesPerPixel * width)
  switch format {
  case .rgba: unsafe target.copyMemory(from: source, byteCount: 4 * width)
  case .bgra: unsafe mapPixels(source, target, width) { $0.redAndBlueExchanged }
  case .argb: unsafe mapPixels(source, target, width) { $0.alphaFirst }
  case .rgbaPremultiplied: unsafe mapPixels(source, target, width) { $0.premultiplied }
  case .bgraPremultiplied: unsafe mapPixels(source, target, width) { $0.premultiplied.redAndBlueExchanged }
  case .argbPremultiplied: unsafe mapPixels(source, target, width) { $0.premultiplied.alphaFirst }
  case .rgb: unsafe dropAlpha(source, target, width) { $0 }
  case .bgr: unsafe dropAlpha(source, target, width) { $0.redAndBlueExchanged }
  case .rgb565: unsafe mapTo16Bits(source, target, width, rgb565)
  case .rgba4444: unsafe mapTo16Bits(source, target, width, rgba4444)
  case .rgba4444Premultiplied: unsafe mapTo16Bits(source, target, width) { premultiplied4444(rgba4444($0)) }
  case .gray8: unsafe mapToBytes(source, target, width, gray)
  case .yuv, .yuva, .luma: preconditionFailure("a planar format has no packed rows")
  }
}

extension SIMD4<UInt32> {
  /// R G B A becomes B G R A. Here and below, the sums have no set bits in common.
  @inline(__always)
  fileprivate var redAndBlueExchanged: Self {
    let redBlue = masked(0x00FF_00FF)
    return masked(0xFF00_FF00) &+ redBlue &<< 16 &+ redBlue &>> 16
  }

  /// R G B A becomes A R G B.
  @inline(__always)
  fileprivate var alphaFirst: Self { self &<< 8 &+ self &>> 24 }
}

/// Applies `transform` to four pixels at a time, and to the remaining pixels one by one.
@inline(__always)
private func mapPixels(
  _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, _ width: Int,
  _ transform: (SIMD4<UInt32>) -> SIMD4<UInt32>
) {
  var x = 0
  while x &+ 4 <= width {
    let pixels = unsafe source.loadUnaligned(fromByteOffset: 4 &* x, as: SIMD4<UInt32>.self)
    unsafe target.storeBytes(of: transform(pixels), toByteOffset: 4 &* x, as: SIMD4<UInt32>.self)
    x &+= 4
  }
  while x < width {
    let pixel = unsafe source.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self)
    unsafe target.storeBytes(of: transform(.init(repeating: pixel))[0], toByteOffset: 4 &* x, as: UInt32.self)
    x &+= 1
  }
}

/// Writes four pixels at a time as twelve bytes.
@inline(__always)
private func dropAlpha(
  _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, _ width: Int,
  _ transform: (SIMD4<UInt32>) -> SIMD4<UInt32>
) {
  var x = 0
  while x &+ 4 <= width {
    let pixels = unsafe transform(source.loadUnaligned(fromByteOffset: 4 &* x, as: SIMD4<UInt32>.self))
    let pairs = cast(pixels, as: SIMD2<UInt64>.self)
    let low = withoutAlpha(pairs[0])
    let high = withoutAlpha(pairs[1])
    unsafe target.storeBytes(of: low | high &<< 48, toByteOffset: 3 &* x, as: UInt64.self)
    unsafe target.storeBytes(of: UInt32(truncatingIfNeeded: high &>> 16), toByteOffset: 3 &* x &+ 8, as: UInt32.self)
    x &+= 4
  }
  while x < width {
    let pixel = unsafe transform(.init(repeating: source.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self)))[0]
    unsafe target.storeBytes(of: UInt16(truncatingIfNeeded: pixel), toByteOffset: 3 &* x, as: UInt16.self)
    unsafe target.storeBytes(of: UInt8(truncatingIfNeeded: pixel &>> 16), toByteOffset: 3 &* x &+ 2, as: UInt8.self)
    x &+= 1
  }
}

/// Packs two pixels of 32 bits into two of 24 bits, from the lowest bit on.
@inline(__always)
private func withoutAlpha(_ pair: UInt64) -> UInt64 { pair & 0xFF_FFFF | pair &>> 8 & 0xFFFF_FF00_0000 }

// MARK: 8 and 16 bits

@inline(__always)
private func mapToBytes(
  _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, _ width: Int, _ transform: (UInt32) -> UInt32
) {
  for x in 0..<width {
    let pixel = unsafe source.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self)
    unsafe target.storeBytes(of: UInt8(truncatingIfNeeded: transform(pixel)), toByteOffset: x, as: UInt8.self)
  }
}

/// The BT.601 sum, from 0 to 255.
@inline(__always)
private func gray(_ pixel: UInt32) -> UInt32 {
  let red = 19595 &* (pixel & 0xFF)
  let green = 38470 &* (pixel &>> 8 & 0xFF)
  let blue = 7471 &* (pixel &>> 16 & 0xFF)
  return (red &+ green &+ blue &+ 1 << 15) &>> 16
}

@inline(__always)
private func mapTo16Bits(
  _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, _ width: Int, _ transform: (UInt32) -> UInt32
) {
  for x in 0..<width {
    let pixel = unsafe source.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self)
    unsafe target.storeBytes(of: UInt16(truncatingIfNeeded: transform(pixel)), toByteOffset: 2 &* x, as: UInt16.self)
  }
}

/// R and the high bits of G in the low byte, the low bits of G and B in the high byte.
@inline(__always)
private func rgb565(_ pixel: UInt32) -> UInt32 {
  let red = pixel & 0xF8
  let greenHigh = pixel &>> 13 & 0x07
  let greenLow = pixel &<< 3 & 0xE000
  let blue = pixel &>> 11 & 0x1F00
  return red | greenHigh | greenLow | blue
}

/// R and G in the low byte, B and A in the high byte.
@inline(__always)
private func rgba4444(_ pixel: UInt32) -> UInt32 {
  let red = pixel & 0xF0
  let green = pixel &>> 12 & 0x0F
  let blue = pixel &>> 8 & 0xF000
  let alpha = pixel &>> 20 & 0x0F00
  return red | green | blue | alpha
}

/// Multiplies the colors, widened to eight bits (· 17), by alpha, widened to sixteen bits (· 0x1111). The products are
/// truncated to four bits.
@inline(__always)
private func premultiplied4444(_ pixel: UInt32) -> UInt32 {
  let alpha = pixel &>> 8 & 0x0F
  let factor = alpha &* (17 &* 0x1111)
  let red = ((pixel &>> 4 & 0x0F) &* factor) &>> 20
  let green = ((pixel & 0x0F) &* factor) &>> 20
  let blue = ((pixel &>> 12) &* factor) &>> 20
  return red &<< 4 | green | blue &<< 12 | alpha &<< 8
}
