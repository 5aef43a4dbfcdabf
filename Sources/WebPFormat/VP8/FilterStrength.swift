// The filter strength of a macroblock (RFC 6386, sections 9.3, 9.4 and 15.4).

/// The thresholds for filtering the edges of a macroblock.
public struct FilterStrength: Sendable {
  /// The limit for subblock edges: 3...189. The limit for macroblock edges is greater by 4. 0 if the macroblock is not
  /// filtered.
  public private(set) var edgeLimit: UInt8 = 0
  /// 1...63, or 0 if the macroblock is not filtered.
  public private(set) var interiorLimit: UInt8 = 0
  /// 0...2
  public private(set) var highVarianceThreshold: UInt8 = 0

  /// - Parameters:
  ///   - level: 0...63
  ///   - sharpness: 0...7
  public init(level: Int32, sharpness: Int32) {
    guard level > 0 else { return }
    var interior = level
    if sharpness > 0 {
      interior &>>= sharpness > 4 ? 2 : 1
      interior = min(interior, 9 &- sharpness)
    }
    interior = max(interior, 1)
    edgeLimit = UInt8(truncatingIfNeeded: 2 &* level &+ interior)
    interiorLimit = UInt8(truncatingIfNeeded: interior)
    highVarianceThreshold = level >= 40 ? 2 : level >= 15 ? 1 : 0
  }
}

extension FrameHeader {
  /// The filter strength of the macroblocks of a segment that have, or do not have, subblock modes.
  public func filterStrength(segment: Int, usesSubblockModes: Bool) -> FilterStrength {
    var level = filter.level
    // 0 disables the filter, regardless of the segments.
    if level == 0 { return FilterStrength(level: 0, sharpness: 0) }
    if segmentation.isEnabled {
      let value = segmentation.filterLevels[segment]
      level = segmentation.usesAbsoluteValues ? value : level &+ value
    }
    if filter.usesDeltas {
      level &+= filter.referenceDeltas[0]  // intra
      if usesSubblockModes { level &+= filter.modeDeltas[0] }
    }
    return FilterStrength(level: min(max(level, 0), 63), sharpness: filter.sharpness)
  }

  /// The number of luma rows that must be retained until the next row of macroblocks has been filtered. The simple
  /// filter needs two. The normal filter needs eight, because it reads four rows of chroma.
  public var deferredRows: Int { filter.level == 0 ? 0 : filter.isSimple ? 2 : 8 }
}

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
