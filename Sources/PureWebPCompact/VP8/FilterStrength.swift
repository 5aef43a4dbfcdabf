// The filter strength of a macroblock (RFC 6386, sections 9.3, 9.4 and 15.4).

/// The thresholds for filtering the edges of a macroblock.
struct FilterStrength {
  /// The limit for subblock edges. The limit for macroblock edges is greater by 4. 0 if the macroblock is not filtered.
  var edgeLimit: UInt8 = 0
  var interiorLimit: UInt8 = 0
  var highVarianceThreshold: UInt8 = 0
}

extension FrameHeader {
  /// The filter strength of a macroblock, from the frame's level, its segment and its mode.
  func strength(of macroblock: Macroblock) -> FilterStrength {
    var level = filter.level
    if level == 0 { return FilterStrength() }
    if segmentation.isEnabled {
      let value = segmentation.filterLevels[Int(macroblock.segment)]
      level = segmentation.usesAbsoluteValues ? value : level &+ value
    }
    if filter.usesDeltas {
      level &+= filter.referenceDeltas[0]  // intra
      if macroblock.usesSubblockModes { level &+= filter.modeDeltas[0] }
    }
    level = min(level, 63)
    guard level > 0 else { return FilterStrength() }
    var interior = level
    if filter.sharpness > 0 { interior = min(interior >> (filter.sharpness > 4 ? 2 : 1), 9 &- filter.sharpness) }
    interior = max(interior, 1)
    return FilterStrength(
      edgeLimit: UInt8(truncatingIfNeeded: 2 &* level &+ interior), interiorLimit: UInt8(truncatingIfNeeded: interior),
      highVarianceThreshold: level >= 40 ? 2 : level >= 15 ? 1 : 0)
  }

  /// The number of luma rows that must be retained until the next row of macroblocks has been filtered. The simple
  /// filter needs two. The normal filter needs eight, because it reads four rows of chroma.
  var deferredRows: Int { filter.level == 0 ? 0 : filter.isSimple ? 2 : 8 }
}
