// In place of VP8/ModeParser.swift, which has two ways to read the first partition: here it is read with BoolDecoder, which
// can read any.

/// Parses the modes of a frame, row by row.
struct ModeParser {
  private var contexts: ModeContexts
  private var decoder: BoolDecoder

  /// - Parameter decoder: at the first macroblock's modes.
  init(_ header: FrameHeader, decoder: BoolDecoder) {
    contexts = ModeContexts(header)
    self.decoder = decoder
  }

  /// Parses the modes of the next row. False: the first partition ends before them.
  mutating func parseRow(_ row: inout MacroblockRow, _ bytes: Span<UInt8>) -> Bool {
    contexts.parseRow(&row, &decoder, bytes)
  }
}
