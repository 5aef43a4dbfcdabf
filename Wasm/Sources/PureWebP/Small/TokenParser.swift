// In place of VP8/TokenParser.swift, which has three ways to read a partition: here all are read with BoolDecoder, which
// can read any. TokenMachine is faster, by a fifth where there are many coefficients, but takes several kilobytes.

/// Parses the coefficients of a frame, row by row.
struct TokenParser {
  /// One for each token partition: row r is in partition r modulo their number (section 9.5).
  private var readers: ContiguousArray<TreeWalker<BoolDecoder>>
  private var contexts: TokenContexts
  private let trees: BlockTrees<TokenProbabilities>

  init(_ header: FrameHeader, tokenBytes: Int64) {
    trees = BlockTrees { TokenProbabilities(type: $0, header.coefficientProbabilities) }
    readers = .init(repeating: TreeWalker(BoolDecoder()), count: header.partitionCount)
    contexts = TokenContexts(columns: header.macroblockColumns)
  }

  /// Parses the coefficients of row `y`, or of what is left of it. False: the bytes end before the row does.
  mutating func parseRow(_ row: inout MacroblockRow, at y: Int, _ bytes: Span<UInt8>) -> Bool {
    !bytes.isEmpty && contexts.parseRow(&row, trees, &readers[y & (readers.count - 1)], bytes)
  }
}
