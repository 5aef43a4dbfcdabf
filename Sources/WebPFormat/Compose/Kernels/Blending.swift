// Blending of a frame onto the canvas (RFC 9649, section 2.7.1.1), with libwebp's arithmetic.
//
// A pixel has three color bytes and alpha. In the following formulas, s is a byte of the frame, d the same byte of the
// canvas, and sₐ and dₐ are their alpha. Quotients are rounded down.
//
//   straight        d' = dₐ · (256 − sₐ) / 256      the weight of the canvas
//                   a  = sₐ + d'
//                   c  = (s · sₐ + d · d') · ⌊2²⁴ / a⌋ / 2²⁴
//                   if sₐ is 255, the result is the frame's pixel; if it is 0, the canvas's pixel
//   premultiplied   c  = s + d · (256 − sₐ) / 256   in each channel, including alpha
//
// The premultiplied sums fit in bytes, because a premultiplied s is at most sₐ.
//
// Unsafe code: Rows from `CheckedRows` have as many bytes as the loops process. The conversions require slack after
// a row if they read past its end. `ColorConversion` writes 64 bytes, and `WideConversion` 128, only if the row or a
// buffer has them.
// Plain formula: `PlainComposer.blend` in Tests/PureWebPTests/Reference/PlainComposer.swift.

/// Draws a row of a frame onto the canvas. Pixels in the columns `copied` of the row are copied, the others are
/// blended. Traps unless both rows are in bounds.
public func drawRow(
  _ layer: Span<UInt8>, at layerOffset: Int, onto canvas: inout MutableSpan<UInt8>, at offset: Int, width: Int,
  copied: Range<Int>, isPremultiplied: Bool
) {
  precondition(copied.lowerBound >= 0 && copied.upperBound <= width)
  let source = unsafe layer.row(at: layerOffset, count: 4 * width)
  let target = unsafe canvas.mutableRow(at: offset, count: 4 * width)
  let parts = copied.isEmpty ? (0..<width, 0..<0) : (0..<copied.lowerBound, copied.upperBound..<width)
  for part in [parts.0, parts.1] where !part.isEmpty {
    let start = 4 &* part.lowerBound
    if isPremultiplied {
      unsafe blendPremultiplied(source + start, target + start, part.count)
    } else {
      unsafe blendStraight(source + start, target + start, part.count)
    }
  }
  let start = 4 &* copied.lowerBound
  unsafe (target + start).copyMemory(from: source + start, byteCount: 4 &* copied.count)
}

// MARK: Premultiplied

private func blendPremultiplied(_ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, _ width: Int) {
  var x = 0
  while x &+ 4 <= width {
    let over = unsafe source.loadUnaligned(fromByteOffset: 4 &* x, as: SIMD4<UInt32>.self)
    let under = unsafe target.loadUnaligned(fromByteOffset: 4 &* x, as: SIMD4<UInt32>.self)
    unsafe target.storeBytes(of: over.overPremultiplied(under), toByteOffset: 4 &* x, as: SIMD4<UInt32>.self)
    x &+= 4
  }
  while x < width {
    let over = unsafe SIMD4(repeating: source.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self))
    let under = unsafe SIMD4(repeating: target.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self))
    unsafe target.storeBytes(of: over.overPremultiplied(under)[0], toByteOffset: 4 &* x, as: UInt32.self)
    x &+= 1
  }
}

extension SIMD4<UInt32> {
  @inline(__always)
  fileprivate func overPremultiplied(_ under: Self) -> Self {
    let kept = Words(repeating: 256) &- alphaTwice
    let words = cast(under, as: Words.self)
    let redBlue = (words.and(Words(repeating: 0x00FF)) &* kept) &>> 8
    let greenAlpha = ((words &>> 8) &* kept).and(Words(repeating: 0xFF00))
    return self &+ cast(redBlue.or(greenAlpha), as: Self.self)
  }
}

// MARK: Straight

private func blendStraight(_ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, _ width: Int) {
  var x = 0
  while x &+ 4 <= width {
    let over = unsafe source.loadUnaligned(fromByteOffset: 4 &* x, as: SIMD4<UInt32>.self)
    let under = unsafe target.loadUnaligned(fromByteOffset: 4 &* x, as: SIMD4<UInt32>.self)
    // Most pixels of a frame are opaque or transparent, and most canvases are opaque.
    if over.isOpaque {
      unsafe target.storeBytes(of: over, toByteOffset: 4 &* x, as: SIMD4<UInt32>.self)
    } else if !over.isTransparent {
      var blended = over
      if under.isOpaque {
        blended = over.overOpaque(under)
      } else {
        for lane in 0..<4 { blended[lane] = blendPixel(over[lane], under[lane]) }
      }
      unsafe target.storeBytes(of: blended, toByteOffset: 4 &* x, as: SIMD4<UInt32>.self)
    }
    x &+= 4
  }
  while x < width {
    let over = unsafe source.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self)
    let under = unsafe target.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self)
    unsafe target.storeBytes(of: blendPixel(over, under), toByteOffset: 4 &* x, as: UInt32.self)
    x &+= 1
  }
}

/// Blends one pixel over another.
@inline(never)
private func blendPixel(_ over: UInt32, _ under: UInt32) -> UInt32 {
  let alpha = over &>> 24
  if alpha == 255 { return over }
  if alpha == 0 { return under }
  let kept = ((under &>> 24) &* (256 &- alpha)) &>> 8
  let sum = alpha &+ kept
  let scale = (1 &<< 24) / sum  // the sum is not 0, because alpha is not
  var pixel = sum &<< 24
  for shift in stride(from: 0 as UInt32, to: 24, by: 8) {
    let weighted = (over &>> shift & 255) &* alpha &+ (under &>> shift & 255) &* kept
    pixel |= ((weighted &* scale) &>> 24) &<< shift
  }
  return pixel
}

extension SIMD4<UInt32> {
  private typealias Mask = SIMDMask<SIMD4<Int32>>

  @inline(__always)
  fileprivate var isOpaque: Bool {
    let pairs = cast(self, as: SIMD2<UInt64>.self)
    return pairs[0] & pairs[1] | 0x00FF_FFFF_00FF_FFFF == .max
  }

  @inline(__always)
  fileprivate var isTransparent: Bool {
    let pairs = cast(self, as: SIMD2<UInt64>.self)
    return (pairs[0] | pairs[1]) & 0xFF00_0000_FF00_0000 == 0
  }

  /// Blends over opaque pixels. Then d' is 255 − sₐ, a is 255, and with n = s · sₐ + d · d' below 2¹⁶:
  ///
  ///     c = n · (2¹⁶ + 2⁸ + 1) / 2²⁴ = (n + (n + n / 256) / 256) / 256      each quotient rounded down
  @inline(__always)
  fileprivate func overOpaque(_ under: Self) -> Self {
    let alpha = alphaTwice
    let kept = Words(repeating: 255) &- alpha
    let (over, below) = (cast(self, as: Words.self), cast(under, as: Words.self))
    let low = Words(repeating: 0x00FF)
    let redBlue = (over.and(low) &* alpha &+ below.and(low) &* kept).dividedAsScaled
    let green = ((over &>> 8) &* alpha &+ (below &>> 8) &* kept).dividedAsScaled
    let color = cast(redBlue.or(green &<< 8), as: Self.self)

    let blended = cast(color, as: Mask.self) .| cast(Self(repeating: 0xFF00_0000), as: Mask.self)
    let isSource = (self &>> 24) .== Self(repeating: 255)
    let isTarget = (self &>> 24) .== Self()
    let chosen =
      (cast(self, as: Mask.self) .& isSource) .| (cast(under, as: Mask.self) .& isTarget)
      .| (blended .& .!(isSource .| isTarget))
    return cast(chosen, as: Self.self)
  }
}

extension Words {
  @inline(__always)
  fileprivate var dividedAsScaled: Self { (self &+ ((self &+ (self &>> 8)) &>> 8)) &>> 8 }
}
