// This file implements the filter strength of a macroblock, as specified in RFC 6386, sections 9.3, 9.4 and 15.2.

/// The thresholds that a macroblock's edges are compared with.
struct FilterStrength {
  /// The limit for subblock edges. The limit for macroblock edges is greater by 4. 0 if the macroblock is not filtered.
  var edgeLimit: UInt8 = 0
  var interiorLimit: UInt8 = 0
  var highVarianceThreshold: UInt8 = 0
}

extension FrameHeader {
  /// How strongly a macroblock is filtered (RFC 6386, sections 9.3, 9.4 and 15.2).
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

  /// How many luma rows wait for the next row of macroblocks, whose upper edge is filtered with them: two for the simple
  /// filter; eight for the normal one, which reads four rows of chroma.
  var rowsHeldBack: Int { filter.level == 0 ? 0 : filter.isSimple ? 2 : 8 }
}
