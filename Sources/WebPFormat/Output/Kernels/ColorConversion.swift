// Conversion of Y'CbCr to RGB, sixteen pixels at a time. RFC 6386, section 9.2, does not specify the conversion.
//
// This is libwebp's fixed-point form of the BT.601 conversion, with equal results. With Y, U, V in 0...255 and h(x, k)
// = ⌊x · k / 256⌋:
//
//   R = (h(Y, 19077) + h(V, 26149) − 14234) / 64
//   G = (h(Y, 19077) − h(U, 6419) − h(V, 13320) + 8708) / 64
//   B = (h(Y, 19077) + h(U, 33050) − 17685) / 64        each clamped to 0...255
//
// A sample is stored as sample · 256 in a 16-bit lane, so h is the high half of a 16 × 16 bit product. Two saturating
// operations clamp: a subtraction, which stops at 0, and an addition of 0xC000, which stops at 0xFFFF. Bits 6 to 13 of
// the sum are the clamped sample.
//
// Pixels in even and odd columns are converted separately, because a register of sixteen Y samples splits into 16-bit
// lanes this way without a permutation:
//
//   Y      y0 y1 y2 y3 … y14 y15          one register of bytes
//   even   y0    y2    …  y14    << 8     the shift to the left discards the odd samples
//   odd       y1    y3 …      y15         masked, already in place
//
// Unsafe code: Rows from `CheckedRows` have as many bytes as the loops process. The conversions require slack after
// a row if they read past its end. `ColorConversion` writes 64 bytes, and `WideConversion` 128, only if the row or a
// buffer has them.
// Plain formula: `plainRGB` in Tests/PureWebPTests/Reference/PlainImage.swift.

/// Chroma for eight pixels, as sample · 256.
public struct ChromaLanes: Sendable {
  public var u: Words
  public var v: Words

  @inlinable @inline(__always)
  public init(u: Words, v: Words) {
    self.u = u
    self.v = v
  }
}

/// The channel orders that the conversion writes directly.
public enum ChannelOrder: Sendable {
  case rgba, bgra
}

/// Writes sixteen pixels: 64 bytes at `output`.
///
/// - Parameters:
///   - luma: Y of the sixteen pixels.
///   - alpha: A of the sixteen pixels.
///   - even: chroma of pixels 0, 2, … 14.
///   - odd: chroma of pixels 1, 3, … 15.
///   - output: a pointer to 64 bytes. The caller guarantees that they are writable.
@inlinable @inline(__always)
public func writePixels(
  luma: Bytes, alpha: Bytes, even: ChromaLanes, odd: ChromaLanes, order: ChannelOrder,
  to output: UnsafeMutableRawPointer
) {
  let pairs = cast(luma, as: Words.self)
  let even = ColorWords(luma: pairs &<< 8, chroma: even)
  let odd = ColorWords(luma: pairs.and(Words(repeating: 0xFF00)), chroma: odd)
  let green = joined(even.green, odd.green)
  let (red, blue) = (joined(even.red, odd.red), joined(even.blue, odd.blue))
  let (first, third) = order == .rgba ? (red, blue) : (blue, red)
  let rg0 = cast(first.interleavedLow(green), as: Words.self)
  let rg1 = cast(first.interleavedHigh(green), as: Words.self)
  let ba0 = cast(third.interleavedLow(alpha), as: Words.self)
  let ba1 = cast(third.interleavedHigh(alpha), as: Words.self)
  unsafe output.storeBytes(of: rg0.interleavedLow(ba0), toByteOffset: 0, as: Words.self)
  unsafe output.storeBytes(of: rg0.interleavedHigh(ba0), toByteOffset: 16, as: Words.self)
  unsafe output.storeBytes(of: rg1.interleavedLow(ba1), toByteOffset: 32, as: Words.self)
  unsafe output.storeBytes(of: rg1.interleavedHigh(ba1), toByteOffset: 48, as: Words.self)
}

/// The channels of eight pixels, as computed by `clamped`.
@usableFromInline
struct ColorWords {
  @usableFromInline let red: Words
  @usableFromInline let green: Words
  @usableFromInline let blue: Words

  /// - Parameter luma: as sample · 256.
  @inlinable @inline(__always)
  init(luma: Words, chroma: ChromaLanes) {
    let y = luma.multipliedHigh(19077)
    red = clamped(y &+ chroma.v.multipliedHigh(26149), minus: Words(repeating: 14234))
    green = clamped(
      y &+ Words(repeating: 8708), minus: chroma.u.multipliedHigh(6419) &+ chroma.v.multipliedHigh(13320))
    blue = clamped(y &+ chroma.u.multipliedHigh(33050), minus: Words(repeating: 17685))
  }
}

/// A channel of sixteen pixels in even and odd columns, which `clamped` has computed.
@inlinable @inline(__always)
func joined(_ even: Words, _ odd: Words) -> Bytes {
  cast((even &>> 6).and(Words(repeating: 0x00FF)).or((odd &<< 2).and(Words(repeating: 0xFF00))), as: Bytes.self)
}

/// (value − offset) clamped to 0 ..< 64 · 256, plus 0xC000. Bits 6 to 13 are the sample.
@inlinable @inline(__always)
func clamped(_ value: Words, minus offset: Words) -> Words {
  value.subtractingSaturated(offset).addingSaturated(Words(repeating: 0xC000))
}

/// One pixel by the formulas above, R in the lowest byte.
@inlinable @inline(__always)
public func convertPixel(luma: UInt8, u: Int32, v: Int32, alpha: UInt8, order: ChannelOrder) -> UInt32 {
  let y = (Int32(luma) &* 19077) &>> 8
  let red = clampedSample(y &+ (v &* 26149) &>> 8 &- 14234)
  let green = clampedSample(y &- (u &* 6419) &>> 8 &- (v &* 13320) &>> 8 &+ 8708)
  let blue = clampedSample(y &+ (u &* 33050) &>> 8 &- 17685)
  let (first, third) = order == .rgba ? (red, blue) : (blue, red)
  return first | green &<< 8 | third &<< 16 | UInt32(alpha) &<< 24
}

@inlinable @inline(__always)
func clampedSample(_ value: Int32) -> UInt32 { UInt32(truncatingIfNeeded: max(0, min(255, value &>> 6))) }
