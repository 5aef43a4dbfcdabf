// The modes of macroblocks (RFC 6386, sections 8, 10 and 11), from the first partition.

/// Parses the modes of a frame, row by row.
struct ModeParser {
  private var contexts: ModeContexts
  private var reader: Reader

  private enum Reader {
    case unscaled(UnscaledBoolDecoder)
    /// Where the fraction lies outside of the interval.
    case scaling(BoolDecoder)
  }

  /// - Parameter decoder: at the first macroblock's modes.
  init(_ header: FrameHeader, decoder: BoolDecoder) {
    contexts = ModeContexts(header)
    reader = if let bools = UnscaledBoolDecoder(decoder) { .unscaled(bools) } else { .scaling(decoder) }
  }

  /// Parses the modes of the next row. False: the first partition ends before them.
  mutating func parseRow(_ row: inout MacroblockRow, _ bytes: Span<UInt8>) -> Bool {
    switch reader {
    case .unscaled(var bools):
      defer { reader = .unscaled(bools) }
      return contexts.parseRow(&row, &bools, bytes)
    case .scaling(var bools):
      defer { reader = .scaling(bools) }
      return contexts.parseRow(&row, &bools, bytes)
    }
  }
}
