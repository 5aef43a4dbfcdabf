// Multiplication of samples by alpha, and division by alpha.
//
// MARK: Premultiplied formats, four pixels at a time
//
//   c' = ⌊c · a / 255⌋ = (x + ⌊x / 256⌋ + 1) / 256, rounded down, with x = c · a     for all c, a in 0...255
//
// All terms fit in 16 bits. Words hold the channels R and B, or G and A, of the four pixels. A is multiplied by 255,
// which does not change it.
//
// Unsafe code: Rows from `CheckedRows` have as many bytes as the loops process. The conversions require slack after
// a row if they read past its end. `ColorConversion` writes 64 bytes, and `WideConversion` 128, only if the row or a
// buffer has them.
// Plain formula: `plainPacked` in Tests/PureWebPTests/Reference/PlainImage.swift.

internal import WebPFormat

extension SIMD4<UInt32> {
  /// Pixels whose color channels are multiplied by alpha, which is the highest byte.
  @inline(__always)
  var premultiplied: Self {
    let words = cast(self, as: Words.self)
    let alphaAndOne = (self &>> 24) &+ Self(repeating: 255 &<< 16)
    let redBlue = words.and(Words(repeating: 0x00FF)).multiplied(by: alphaTwice) &>> 8
    let greenAlpha = (words &>> 8).multiplied(by: cast(alphaAndOne, as: Words.self)).and(Words(repeating: 0xFF00))
    return cast(redBlue.or(greenAlpha), as: Self.self)
  }
}

extension Words {
  /// ⌊self · alpha / 255⌋ · 256. The low byte is arbitrary.
  @inline(__always)
  fileprivate func multiplied(by alpha: Self) -> Self {
    let product = self &* alpha
    return product &+ (product &>> 8) &+ Words(repeating: 1)
  }
}

// MARK: Rows before and after scaling
//
// Colors are multiplied by alpha before scaling and divided by it afterwards, so that transparent pixels do not
// contribute. Unlike in premultiplied formats, the product is rounded to the nearest number. If alpha is 0, the result
// is 0.

/// The factor of a sample, times 2²⁴: alpha / 255, or 255 / alpha if `inverse` is true.
@inline(__always)
private func factor(alpha: UInt32, inverse: Bool) -> UInt32 {
  if alpha == 0 { return 0 }
  return inverse ? (255 &<< 24) / alpha : alpha &* 65793
}

/// The rounded product. Wraps around if a division by alpha has a sample that is greater than alpha.
@inline(__always)
private func multiplied(_ sample: UInt32, _ factor: UInt32) -> UInt32 { (sample &* factor &+ 1 &<< 23) &>> 24 }

/// Multiplies the colors of the first `width` R G B A pixels of `rgba` by their alpha, or divides them by it.
func multiplyByAlpha(rgba: inout ContiguousArray<UInt8>, width: Int, inverse: Bool) {
  var span = rgba.mutableSpan
  let row = unsafe span.mutableRow(at: 0, count: 4 * width)
  for x in 0..<width {
    let pixel = unsafe row.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self)
    let alpha = pixel &>> 24
    if alpha == 255 { continue }
    let factor = factor(alpha: alpha, inverse: inverse)
    let red = multiplied(pixel & 0xFF, factor)
    let green = multiplied(pixel &>> 8 & 0xFF, factor)
    let blue = multiplied(pixel &>> 16 & 0xFF, factor)
    unsafe row.storeBytes(
      of: red | green &<< 8 | blue &<< 16 | alpha &<< 24, toByteOffset: 4 &* x, as: UInt32.self)
  }
}

/// Writes `width` samples multiplied by alpha, or divided by it.
@inline(never)
@_optimize(size)  // unrolled for both values of `inverse`, it would take 2.7 KB
func multiplyByAlpha(
  samples: Span<UInt8>, at offset: Int, alpha: Span<UInt8>, at alphaOffset: Int, inverse: Bool,
  into output: inout MutableSpan<UInt8>, at outputOffset: Int, width: Int
) {
  let samples = unsafe samples.row(at: offset, count: width)
  let alpha = unsafe alpha.row(at: alphaOffset, count: width)
  let output = unsafe output.mutableRow(at: outputOffset, count: width)
  for x in 0..<width {
    let sample = unsafe samples.byte(at: x)
    let alpha = unsafe UInt32(alpha.byte(at: x))
    let product = multiplied(UInt32(sample), factor(alpha: alpha, inverse: inverse))
    unsafe output.storeBytes(
      of: alpha == 255 ? sample : UInt8(truncatingIfNeeded: product), toByteOffset: x, as: UInt8.self)
  }
}
