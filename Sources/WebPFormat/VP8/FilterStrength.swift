// The filter strength of a macroblock (RFC 6386, sections 9.3, 9.4 and 15.4). Plain formula:
// `PlainVP8.Limits` in Tests/PureWebPTests/Reference/PlainVP8.swift.

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
