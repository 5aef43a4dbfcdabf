// The arithmetic of the loop filters on sixteen samples: differences, and bytes that are biased by 128 to represent
// signed values.

/// A difference of pixels as its positive and its negative part, one of which is 0.
public struct PixelDifference: Sendable {
  public let positive: Bytes
  public let negative: Bytes

  @inlinable @inline(__always)
  public init(_ a: Bytes, minus b: Bytes) { self.init(a.subtractingSaturated(b), b.subtractingSaturated(a)) }

  @inlinable @inline(__always)
  init(_ positive: Bytes, _ negative: Bytes) {
    self.positive = positive
    self.negative = negative
  }

  @inlinable @inline(__always)
  public var magnitude: Bytes { positive.or(negative) }

  @inlinable @inline(__always)
  public func and(_ mask: Bytes) -> PixelDifference { PixelDifference(positive.and(mask), negative.and(mask)) }
}

extension SIMD16<UInt8> {
  /// self + difference, clamped.
  @inlinable @inline(__always)
  public func adding(_ difference: PixelDifference) -> Bytes {
    addingSaturated(difference.positive).subtractingSaturated(difference.negative)
  }

  /// The biased value where the mask is 255. Elsewhere 128, which is a biased 0.
  @inlinable @inline(__always)
  public func kept(where mask: Bytes) -> Bytes { xor(Bytes(repeating: 128)).and(mask).xor(Bytes(repeating: 128)) }
}
