// How strongly each macroblock is filtered (RFC 6386, sections 9.3, 9.4 and 15.2).

/// What a macroblock's edges are compared with.
struct FilterStrength {
  /// Of subblock edges; that of macroblock edges is greater by 4. 0: the macroblock is not filtered.
  var edgeLimit: UInt8 = 0
  var interiorLimit: UInt8 = 0
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
  /// Of each segment, first for macroblocks predicted as a whole, then for those with subblock modes.
  private let strengths: ContiguousArray<FilterStrength>

  /// Nil where nothing is filtered.
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

  /// How many luma rows wait for the next row of macroblocks, whose upper edge is filtered with them: two for the simple
  /// filter; eight for the normal one, which reads four rows of chroma.
  var rowsHeldBack: Int { isSimple ? 2 : 8 }

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

extension Macroblock {
  /// Whether the edges between its subblocks are filtered: not where it is predicted as a whole and nothing is added.
  /// To be asked after the inverse WHT, which may leave nothing of a Y2 block.
  @inline(__always)
  var hasInnerEdges: Bool { usesSubblockModes || (!isSkipped && (lumaExtents | chromaExtents) != 0) }
}
