// The reader of prefix codes (RFC 9649, section 3.7.2.1).
//
// A stream stores the length of each symbol's code, and the codes follow from the lengths. One or two symbols are
// stored directly (3.7.2.1.1). Otherwise the lengths are symbols of another prefix code, whose own code lengths have
// three bits each (3.7.2.1.2).

internal import WebPFormat

/// Reads code lengths, and builds tables from them.
struct PrefixCodeReader: ~Copyable {
  private var builder: PrefixCodeTableBuilder
  private var lengths: PrefixCodeLengths
  /// The table of the prefix code of the code lengths.
  private var lengthTable = ContiguousArray<PrefixCodeEntry>()
  /// The indexes of tables that have only one symbol, by that symbol. All groups share these tables. `UInt32.max` if a
  /// table does not exist yet.
  private var singles = ContiguousArray<UInt32>(filledWith: .max, count: 256)
  /// The index of the table of red and blue that groups with few pixels share. Nil if there is none yet.
  private var sharedRedBlueIndex: Int?

  /// - Parameter cacheSize: the number of slots in the color cache, 0 without one.
  init(cacheSize: Int) {
    let symbolCount = PrefixCodeGroup.greenSymbols + cacheSize
    builder = PrefixCodeTableBuilder(symbolCount: symbolCount)
    lengths = PrefixCodeLengths(symbolCount: symbolCount)
  }

  /// The largest symbol of the code that was read last.
  var largestSymbol: Int { lengths.largestSymbol }

  /// Reads a code for at most 256 symbols, and appends its table. Codes with the same single symbol share a table.
  ///
  /// - Parameter table: is set to the index of the table.
  /// - Returns: the length of the longest code, or 0 if there is only one symbol, which takes no bits.
  @inline(never)
  mutating func readTable(
    symbolCount: Int, _ table: inout Int, in tables: inout ContiguousArray<PrefixCodeEntry>,
    _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) throws(ErrorCause) -> Int {
    try readLengths(symbolCount: symbolCount, &reader, bytes)
    table = tables.count
    if let single = lengths.single {
      if singles[single] != .max {
        table = Int(singles[single])
        return 0
      }
      singles[single] = UInt32(truncatingIfNeeded: table)
    }
    return try builder.appendTable(lengths, rootBits: PrefixCodeGroup.fixedRootBits, isGreen: false, to: &tables)
  }

  /// Returns the index of a table of red and blue that has no entries for pairs, so that red and blue are looked up
  /// separately. Appends the table if it does not exist yet.
  ///
  /// - Parameter rootBits: the index width of the table, which is the same in all calls.
  mutating func sharedRedBlueTable(rootBits: Int, in tables: inout ContiguousArray<PrefixCodeEntry>) -> Int {
    if let sharedRedBlueIndex { return sharedRedBlueIndex }
    let redBlue = tables.count
    tables.appendRoot(.separateLookups, rootBits: rootBits)
    tables.fillLowBytes(ofRoot: redBlue, rootBits: rootBits)
    sharedRedBlueIndex = redBlue
    return redBlue
  }

  /// Reads a green code like `readTable`. The table of a green code is never shared, and has space for low bytes.
  @inline(never)
  mutating func readGreenTable(
    symbolCount: Int, rootBits: Int, to tables: inout ContiguousArray<PrefixCodeEntry>,
    _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) throws(ErrorCause) -> Int {
    try readLengths(symbolCount: symbolCount, &reader, bytes)
    return try builder.appendTable(lengths, rootBits: rootBits, isGreen: true, to: &tables)
  }

  /// Reads and validates a code that no pixel uses.
  ///
  /// - Returns: the same as `readTable`.
  mutating func skipTable(
    symbolCount: Int, _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) throws(ErrorCause) -> Int {
    try readLengths(symbolCount: symbolCount, &reader, bytes)
    return try lengths.checkedLongest()
  }

  /// Reads the lengths of a code.
  private mutating func readLengths(
    symbolCount: Int, _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) throws(ErrorCause) {
    if reader.read(1, from: bytes) == 1 {
      lengths.removeAll()
      readSymbols(symbolCount: symbolCount, &reader)
    } else {
      try readLengthTable(&reader, bytes)
      lengths.removeAll()
      try Self.readLengths(&lengths, symbolCount: symbolCount, lengthTable, &reader, bytes)
    }
  }

  /// Reads the simple form: one or two symbols of one or eight bits. Symbols outside of the alphabet are ignored.
  private mutating func readSymbols(symbolCount: Int, _ reader: inout BitReader) {
    let hasSecond = reader.take(1) == 1
    let first = reader.take(reader.take(1) == 1 ? 8 : 1)
    let second = hasSecond ? reader.take(8) : first
    let (lower, upper) = (min(first, second), max(first, second))
    if lower < symbolCount { lengths.append(lower, length: 1) }
    if upper > lower, upper < symbolCount { lengths.append(upper, length: 1) }
  }

  /// The maximum length of a code in the length code, because its lengths have three bits.
  private static let lengthRootBits = 7

  private mutating func readLengthTable(_ reader: inout BitReader, _ bytes: Span<UInt8>) throws(ErrorCause) {
    let lengthCount = reader.take(4) + 4
    // The lengths of the code length code, in three bits for each symbol, reordered by symbol.
    var packed: UInt64 = 0
    for index in 0..<lengthCount {
      if index % 16 == 0 { reader.refill(from: bytes) }
      packed |= UInt64(reader.take(3)) << (3 * UInt64(codeLengthOrder[index]))
    }
    lengths.removeAll()
    for symbol in codeLengthOrder.indices {
      let length = Int(packed >> (3 * UInt64(symbol)) & 7)
      if length > 0 { lengths.append(symbol, length: length) }
    }
    lengthTable.removeAll(keepingCapacity: true)
    _ = try builder.appendTable(lengths, rootBits: Self.lengthRootBits, isGreen: false, to: &lengthTable)
  }

  /// Reads the normal form. Each code is a length, or 16 to repeat the last nonzero length, or 17 or 18 for a run of
  /// zeros.
  private static func readLengths(
    _ lengths: inout PrefixCodeLengths, symbolCount: Int, _ lengthTable: ContiguousArray<PrefixCodeEntry>,
    _ state: inout BitReader, _ bytes: Span<UInt8>
  ) throws(ErrorCause) {
    var reader = state
    defer { state = reader }
    reader.refill(from: bytes)
    var toRead = symbolCount
    if reader.take(1) == 1 {
      toRead = 2 + reader.take(2 + 2 * reader.take(3))
      guard toRead <= symbolCount else { throw ErrorCause.tooManyCodeLengths }
    }
    let table = lengthTable.span.extracting(first: 1 << lengthRootBits)
    var last = 8
    var symbol = 0
    while symbol < symbolCount && toRead > 0 {
      toRead &-= 1
      reader.refill(from: bytes)
      let entry = table[reader.peek(UInt64(lengthRootBits))]
      reader.drop(entry.word)
      let code = entry.symbol
      if code == 0 {
        symbol &+= 1
      } else if code < 16 {
        lengths.append(symbol, length: code)
        last = code
        symbol &+= 1
      } else {
        let count = code == 16 ? reader.take(2) &+ 3 : code == 17 ? reader.take(3) &+ 3 : reader.take(7) &+ 11
        guard count <= symbolCount &- symbol else { throw ErrorCause.codeLengthRunExceedsAlphabet }
        if code == 16 {
          for index in symbol..<symbol &+ count { lengths.append(index, length: last) }
        }
        symbol &+= count
      }
    }
  }
}
