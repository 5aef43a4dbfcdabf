// The filter strength of macroblocks (RFC 6386, sections 9.3, 9.4 and 15.4).

/// The thresholds for filtering the edges of a macroblock.
struct FilterStrength {
  /// The limit for subblock edges: 3...189. The limit for macroblock edges is greater by 4. 0 if the macroblock is not
  /// filtered.
  var edgeLimit: UInt8 = 0
  /// 1...63, or 0 if the macroblock is not filtered.
  var interiorLimit: UInt8 = 0
  /// 0...2
  var highVarianceThreshold: UInt8 = 0

  /// - Parameters:
  ///   - level: 0...63
  ///   - sharpness: 0...7
  init(level: Int32, sharpness: Int32) {
    guard level > 0 else { return }
    var interior = level
    if sharpness > 0 {
      interior >>= sharpness > 4 ? 2 : 1
      interior = min(interior, 9 - sharpness)
    }
    interior = max(interior, 1)
    edgeLimit = UInt8(truncatingIfNeeded: 2 * level + interior)
    interiorLimit = UInt8(truncatingIfNeeded: interior)
    highVarianceThreshold = level >= 40 ? 2 : level >= 15 ? 1 : 0
  }
}

/// The loop filter of a frame.
struct LoopFilter {
  let isSimple: Bool
  /// The strength in each segment, first of macroblocks without subblock modes, then of macroblocks with them.
  private let strengths: ContiguousArray<FilterStrength>

  /// Nil if nothing is filtered.
  init?(_ header: FrameHeader) {
    guard header.filter.level != 0 else { return nil }
    isSimple = header.filter.isSimple
    var strengths = ContiguousArray(repeating: FilterStrength(level: 0, sharpness: 0), count: 8)
    for index in 0..<8 {
      let level = Self.level(header, segment: index & 3, usesSubblockModes: index > 3)
      strengths[index] = FilterStrength(level: level, sharpness: header.filter.sharpness)
    }
    self.strengths = strengths
  }

  @inline(__always)
  func strength(of macroblock: Macroblock) -> FilterStrength {
    strengths[Int(macroblock.segment & 3) | (macroblock.usesSubblockModes ? 4 : 0)]
  }

  /// The number of luma rows that must be retained until the next row of macroblocks has been filtered. The simple
  /// filter needs two. The normal filter needs eight, because it reads four rows of chroma.
  var deferredRows: Int { isSimple ? 2 : 8 }

  private static func level(_ header: FrameHeader, segment: Int, usesSubblockModes: Bool) -> Int32 {
    let filter = header.filter
    var level = filter.level
    if header.segmentation.isEnabled {
      let value = header.segmentation.filterLevels[segment]
      level = header.segmentation.usesAbsoluteValues ? value : level + value
    }
    if filter.usesDeltas {
      level += filter.referenceDeltas[0]  // intra
      if usesSubblockModes { level += filter.modeDeltas[0] }
    }
    return min(max(level, 0), 63)
  }
}
