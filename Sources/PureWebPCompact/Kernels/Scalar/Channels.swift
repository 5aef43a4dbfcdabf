// Plain formula: `plainPacked` in Tests/PureWebPTests/Reference/PlainImage.swift.

internal import WebPFormat

/// The four channels of a pixel for the predictor transform (RFC 9649, section 3.5.1). Without vector instructions,
/// a number holds two or four of them.
struct Channels {
  let pixel: Pixel

  init(_ pixel: Pixel) { self.pixel = pixel }

  func plus(_ other: Self) -> Self { Self(sum(pixel, other.pixel)) }

  /// Each channel's ⌊(a + b) / 2⌋.
  func average(_ other: Self) -> Self { Self(PureWebPCompact.average(pixel, other.pixel)) }

  /// The sum of the channels' |a − b|.
  func distance(to other: Self) -> UInt64 {
    let difference = difference(other)
    let negative = ~difference &>> 8 & Self.ones
    let absolute = (difference ^ Self.bytes(negative)) & Self.bytes(Self.ones) &+ negative
    return (absolute &* Self.ones) &>> 48
  }

  /// self + (b − c), clamped (ClampAddSubtractFull).
  func clampedSum(_ b: Self, minus c: Self) -> Self { Self.clamped(lanes &+ b.difference(c)) }

  /// self + (self − c) / 2, clamped. The division rounds toward zero (ClampAddSubtractHalf).
  func clampedHalfSum(minus c: Self) -> Self {
    let difference = difference(c)
    let negative = ~difference &>> 8 & Self.ones
    return Self.clamped(lanes &+ Self.ones &* 128 &+ (difference &+ negative) &>> 1 & (Self.ones &* 511))
  }

  private static let ones: UInt64 = 0x0001_0001_0001_0001

  /// Sixteen bits for each channel. Their order differs from the order in a pixel.
  private var lanes: UInt64 { UInt64(pixel & 0x00FF_00FF) | UInt64(pixel & 0xFF00_FF00) &<< 24 }

  /// Replaces each 1 by 255.
  private static func bytes(_ ones: UInt64) -> UInt64 { ones &* 255 }

  /// The difference of each channel, plus 256.
  private func difference(_ other: Self) -> UInt64 { lanes &+ Self.ones &<< 8 &- other.lanes }

  /// Subtracts 256 from each channel, and clamps the results to 0...255.
  private static func clamped(_ sums: UInt64) -> Self {
    let isPositive = sums &>> 8 & ones
    let isOver = sums &>> 9 & ones
    let clamped = sums & bytes(isPositive) | bytes(isOver)
    return Self(Pixel(truncatingIfNeeded: clamped | clamped &>> 24))
  }
}
