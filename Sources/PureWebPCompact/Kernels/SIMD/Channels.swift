// Plain formula: `plainPacked` in Tests/PureWebPTests/Reference/PlainImage.swift.

internal import WebPFormat

/// The four channels of a pixel for the predictor transform (RFC 9649, section 3.5.1). Each quarter of the vector
/// has the same pixel. The values stay in vector registers from pixel to pixel.
struct Channels {
  private let lanes: Bytes

  init(_ pixel: Pixel) { lanes = Bytes(pixel) }

  private init(lanes: Bytes) { self.lanes = lanes }

  var pixel: Pixel { cast(lanes, as: SIMD4<UInt32>.self)[0] }

  @inline(__always)
  func plus(_ other: Self) -> Self { Self(lanes: lanes &+ other.lanes) }

  /// Each channel's ⌊(a + b) / 2⌋.
  @inline(__always)
  func average(_ other: Self) -> Self {
    Self(lanes: lanes.and(other.lanes) &+ lanes.xor(other.lanes) &>> 1)
  }

  /// The sum of the channels' |a − b|.
  @inline(__always)
  func distance(to other: Self) -> UInt64 {
    let differences = cast(lanes.absoluteDifference(other.lanes).widenedLow, as: SIMD2<UInt64>.self)[0]
    return (differences &* 0x0001_0001_0001_0001) &>> 48
  }

  /// self + (b − c), clamped (ClampAddSubtractFull).
  @inline(__always)
  func clampedSum(_ b: Self, minus c: Self) -> Self {
    Self.clamped(lanes.widenedLow &+ (b.lanes.widenedLow &- c.lanes.widenedLow))
  }

  /// self + (self − c) / 2, clamped. The division rounds toward zero (ClampAddSubtractHalf).
  @inline(__always)
  func clampedHalfSum(minus c: Self) -> Self {
    let difference = lanes.widenedLow &- c.lanes.widenedLow
    return Self.clamped(lanes.widenedLow &+ (difference &- difference &>> 15) &>> 1)
  }

  @inline(__always)
  private static func clamped(_ sums: SignedWords) -> Self { Self(lanes: sums.narrowed(sums)) }
}
