internal import WebPFormat

/// The loop filter of a frame (RFC 6386, section 15).
struct LoopFilter {
  let isSimple: Bool
  /// See `FrameHeader.deferredRows`.
  let deferredRows: Int
  /// The strength in each segment, first of macroblocks without subblock modes, then of macroblocks with them.
  private let strengths: ContiguousArray<FilterStrength>

  /// Nil if nothing is filtered.
  init?(_ header: FrameHeader) {
    guard header.filter.level != 0 else { return nil }
    isSimple = header.filter.isSimple
    deferredRows = header.deferredRows
    var strengths = ContiguousArray(filledWith: FilterStrength(level: 0, sharpness: 0), count: 8)
    for index in 0..<8 {
      strengths[index] = header.filterStrength(segment: index & 3, usesSubblockModes: index > 3)
    }
    self.strengths = strengths
  }

  @inline(__always)
  func strength(of macroblock: Macroblock) -> FilterStrength {
    strengths[Int(macroblock.segment & 3) | (macroblock.usesSubblockModes ? 4 : 0)]
  }
}
