// The parsing of the coefficients of macroblocks from the token partitions (RFC 6386, sections 9.5 and 13).

internal import WebPFormat

/// Parses the quantized coefficients of a frame's macroblocks, row by row.
struct CoefficientParser {
  private let partitions: TokenPartitions
  private let probabilities: ContiguousArray<UInt8>
  /// One reader for each token partition. With n partitions, row r of macroblocks is in partition r modulo n (section
  /// 9.5).
  private var readers: ContiguousArray<PartitionReader?>
  /// The tables of the state machine. Nil until they are needed, because small images usually do not use them.
  private var machineTables: TablesByBlockType<TokenStateTable>?
  private let treeTables: TablesByBlockType<TokenProbabilities>
  private let prefersMachine: Bool
  private var position: RowPosition

  /// The number of bytes for which the state machine saves as much time as building its tables takes.
  private static let bytesForTables: Int64 = 900
  /// The number of bytes of a macroblock for which both decoders take the same time. If nearly all blocks are empty,
  /// few bools are unpredictable, and the state machine saves little.
  private static let bytesForMacroblock: Int64 = 5

  /// - Parameters:
  ///   - probabilities: see `coefficientProbabilityIndex`.
  ///   - tokenBytes: see `PartitionLayout`.
  init(
    _ header: FrameHeader, _ probabilities: ContiguousArray<UInt8>, _ partitions: TokenPartitions, tokenBytes: Int64
  ) {
    self.partitions = partitions
    self.probabilities = probabilities
    treeTables = TablesByBlockType { TokenProbabilities(type: $0, probabilities) }
    let macroblocks = Int64(header.macroblockColumns &* header.macroblockRows)
    prefersMachine = tokenBytes >= Self.bytesForTables &+ Self.bytesForMacroblock &* macroblocks
    readers = .init(filledWith: nil, count: header.partitionCount)
    position = RowPosition(columns: header.macroblockColumns)
  }

  /// Parses the coefficients of row `y`, or of its remaining macroblocks.
  ///
  /// - Parameter bytes: the complete input received so far.
  /// - Returns: false if the bytes end before the row does and more may arrive. The parsed macroblocks are retained;
  ///   call again when more bytes are available.
  /// - Throws: `truncated` if the row's partition ends before the row does.
  mutating func parseRow(
    _ row: inout MacroblockRow, at y: Int, _ bytes: Span<UInt8>, isComplete: Bool
  ) throws(WebP.DecodeError) -> Bool {
    let index = y & (partitions.count - 1)
    let range = partitions.range(index, bytes)
    let end = min(range.upperBound, bytes.count)
    let partition = bytes.extracting(min(range.lowerBound, end)..<end)
    let isParsed: Bool
    switch readers[index] ?? firstReader(partition) {
    case .lazy(let bools) where prefersMachine:
      let tables = machineTables ?? TablesByBlockType { TokenStateTable(type: $0, probabilities) }
      machineTables = tables
      var decoder = TokenStateMachine(bools: bools)
      isParsed = position.parseMacroblocks(of: &row, tables, &decoder, partition)
      readers[index] = .lazy(decoder.bools)
    case .lazy(let bools):
      var decoder = TokenTreeDecoder(bools: bools)
      isParsed = position.parseMacroblocks(of: &row, treeTables, &decoder, partition)
      readers[index] = .lazy(decoder.bools)
    case .outside(let bools):
      var decoder = TokenTreeDecoder(bools: bools)
      isParsed = position.parseMacroblocks(of: &row, treeTables, &decoder, partition)
      readers[index] = .outside(decoder.bools)
    case nil:
      isParsed = false
    }
    if isParsed { return true }
    if isComplete || range.upperBound <= bytes.count {
      throw WebP.DecodeError(.truncatedTokenPartition, chunk: .vp8, offset: end)
    }
    return false
  }

  /// Releases the bytes of a single partition that have been decoded: see `ImageDecoder`. If there are several
  /// partitions, all bytes are retained, because the position of a partition is computed from the sizes of the earlier
  /// ones.
  ///
  /// - Returns: the range of the released bytes in the input. Nil if they are fewer than `count`.
  mutating func releaseConsumedBytes(atLeast count: Int) -> Range<Int>? {
    guard partitions.count == 1, var reader = readers[0], reader.position > count else { return nil }
    // One byte is retained, because an empty partition is treated as one that has not arrived.
    let consumed = reader.position - 1
    reader.position = 1
    readers[0] = reader
    return partitions.start..<partitions.start + consumed
  }

  /// The reader of a partition that begins with these bytes; nil if none is available yet.
  private func firstReader(_ bytes: Span<UInt8>) -> PartitionReader? {
    if bytes.isEmpty { return nil }
    return bytes[0] == 0xFF ? .outside(OutsideBoolDecoder()) : .lazy(LazyBoolDecoder(bytes))
  }
}

/// The position in a row of macroblocks, and the nonzero contexts there.
private struct RowPosition {
  /// The contexts of the macroblocks above the next row.
  private var above: ContiguousArray<UInt32>
  /// The macroblock at which parsing resumes when more bytes are available, and the context to its left.
  private var next = (column: 0, left: 0 as UInt32)

  init(columns: Int) { above = .init(filledWith: 0, count: columns) }

  /// Parses the remaining macroblocks of a row.
  ///
  /// - Parameter bytes: the row's partition.
  /// - Returns: false if the bytes end before the row does.
  mutating func parseMacroblocks<Decoder: CoefficientDecoder>(
    of row: inout MacroblockRow, _ tables: TablesByBlockType<Decoder.Tables>, _ decoder: inout Decoder,
    _ bytes: Span<UInt8>
  ) -> Bool {
    var (above, macroblocks, coefficients) = (above.moved(), row.macroblocks.moved(), row.coefficients.bytes.moved())
    defer { (self.above, row.macroblocks, row.coefficients.bytes) = (above, macroblocks, coefficients) }
    var aboveSpan = above.mutableSpan
    var macroblockSpan = macroblocks.mutableSpan
    var coefficientSpan = coefficients.mutableSpan
    while next.column < macroblockSpan.count {
      let column = next.column
      let offset = column &* Macroblock.coefficientCount
      // Removes the overflow coefficients of an earlier row, or of an earlier attempt for which the bytes did not
      // suffice.
      row.coefficients.overflow.removeAll(from: offset)
      var context = NonzeroContext(above: aboveSpan[column], left: next.left)
      if macroblockSpan[column].isSkipped {
        // A skipped macroblock has no coefficients. If it has no Y2 block, the context of Y2 does not change.
        context.clear(keepingY2: macroblockSpan[column].usesSubblockModes)
      } else {
        var current = decoder  // discarded if the bytes do not suffice
        context.parse(
          &macroblockSpan[column], tables, &current, bytes, &coefficientSpan, offset, &row.coefficients.overflow)
        if current.bools.isExhausted(bytes) { return false }
        decoder = current
      }
      aboveSpan[column] = context.above
      next = (column + 1, context.left)
    }
    next = (0, 0)
    return true
  }
}
