// The coefficients of macroblocks (RFC 6386, section 13), from the token partitions.

/// Parses the coefficients of a frame, row by row.
struct TokenParser {
  /// One for each token partition: row r is in partition r modulo their number (section 9.5).
  private var readers: ContiguousArray<Reader?>
  private var contexts: TokenContexts
  private let probabilities: ContiguousArray<UInt8>
  /// Nil until they are needed; most small pictures never do.
  private var machineTrees: BlockTrees<TokenTree>?
  private let plainTrees: BlockTrees<TokenProbabilities>
  private let prefersMachine: Bool

  private enum Reader {
    case machine(TokenMachine)
    case walker(TreeWalker<UnscaledBoolDecoder>)
    /// Of a partition that starts with 0xFF.
    case scalingWalker(TreeWalker<BoolDecoder>)
  }

  /// Below this number of bytes the machine's tables cost more time than they save.
  private static let machineThreshold: Int64 = 5500
  /// The same for each macroblock: where nearly all blocks are empty, there is little that comes as a surprise.
  private static let machineThresholdPerMacroblock: Int64 = 5

  init(_ frame: Frame) {
    let (header, probabilities) = (frame.header, frame.coefficientProbabilities)
    self.probabilities = probabilities
    plainTrees = BlockTrees { TokenProbabilities(type: $0, probabilities) }
    let macroblocks = Int64(header.macroblockColumns &* header.macroblockRows)
    prefersMachine = frame.tokenBytes >= max(Self.machineThreshold, Self.machineThresholdPerMacroblock &* macroblocks)
    readers = .init(repeating: nil, count: header.partitionCount)
    contexts = TokenContexts(columns: header.macroblockColumns)
  }

  /// Parses the coefficients of row `y`, or of what is left of it.
  ///
  /// - Parameter bytes: of the row's partition, as far as they have come.
  /// - Returns: false if the bytes end before the row does. What has been parsed stays; when more bytes have come, call
  ///   again.
  mutating func parseRow(_ row: inout MacroblockRow, at y: Int, _ bytes: Span<UInt8>) -> Bool {
    if bytes.isEmpty { return false }
    let partition = y & (readers.count - 1)
    switch readers[partition] ?? start(bytes) {
    case .machine(var reader):
      let trees = machineTrees ?? BlockTrees { TokenTree(type: $0, probabilities) }
      machineTrees = trees
      defer { readers[partition] = .machine(reader) }
      return contexts.parseRow(&row, trees, &reader, bytes)
    case .walker(var reader):
      defer { readers[partition] = .walker(reader) }
      return contexts.parseRow(&row, plainTrees, &reader, bytes)
    case .scalingWalker(var reader):
      defer { readers[partition] = .scalingWalker(reader) }
      return contexts.parseRow(&row, plainTrees, &reader, bytes)
    }
  }

  /// What a partition with these bytes is read with.
  private func start(_ bytes: Span<UInt8>) -> Reader {
    if bytes[0] == 0xFF { return .scalingWalker(TreeWalker(BoolDecoder())) }
    return prefersMachine ? .machine(TokenMachine(bytes)) : .walker(TreeWalker(UnscaledBoolDecoder(bytes)))
  }
}
