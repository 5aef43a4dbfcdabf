// Reading prefix codes (RFC 9649, section 3.7.2.1).
//
// A stream tells the length of each symbol's code; the codes follow from the lengths. One or two symbols are told
// plainly (3.7.2.1.1). For more, the lengths are themselves symbols of a prefix code, whose own code lengths have
// three bits each (3.7.2.1.2).

/// Reads code lengths, and makes tables of them.
struct PrefixCodeReader {
  private var builder: PrefixCodeTableBuilder
  /// The table of the code that the lengths are written in.
  private var lengthTable = ContiguousArray<PrefixCodeEntry>()

  /// - Parameter cacheSize: the number of colours in the cache, 0 without one.
  init(cacheSize: Int) {
    builder = PrefixCodeTableBuilder(symbolCount: PrefixCodeGroup.greenSymbols + cacheSize)
  }

  /// Reads a code for symbols below `symbolCount`, and appends its table.
  ///
  /// - Returns: the length of the longest code; 0 if there is a single symbol, which then takes no bits.
  mutating func readTable(
    symbolCount: Int, rootBits: Int, to tables: inout ContiguousArray<PrefixCodeEntry>,
    _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) throws(LosslessFault) -> Int {
    let isSimple = reader.read(1, from: bytes) == 1
    if isSimple {
      clearLengths(symbolCount)
      readSymbols(symbolCount: symbolCount, &reader)
    } else {
      try readLengthTable(&reader, bytes)
      clearLengths(symbolCount)
      try Self.readLengths(&builder.lengths, symbolCount: symbolCount, lengthTable, &reader, bytes)
    }
    return try builder.appendTable(symbolCount: symbolCount, rootBits: rootBits, to: &tables)
  }

  private mutating func clearLengths(_ count: Int) {
    var lengths = builder.lengths.mutableSpan
    for symbol in 0..<count { lengths[symbol] = 0 }
  }

  /// The simple form: one symbol or two, of one bit or eight. A symbol that the alphabet does not have is left out.
  private mutating func readSymbols(symbolCount: Int, _ reader: inout BitReader) {
    let hasSecond = reader.take(1) == 1
    let first = reader.take(reader.take(1) == 1 ? 8 : 1)
    if first < symbolCount { builder.lengths[first] = 1 }
    guard hasSecond else { return }
    let second = reader.take(8)
    if second < symbolCount { builder.lengths[second] = 1 }
  }

  /// In which order the lengths of the length code are told: usual ones first, so that the last can be left out.
  private static let lengthOrder: [UInt8] = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
  /// The longest code of the length code: its own lengths have three bits.
  private static let lengthRootBits = 7

  private mutating func readLengthTable(_ reader: inout BitReader, _ bytes: Span<UInt8>) throws(LosslessFault) {
    clearLengths(Self.lengthOrder.count)
    let told = reader.take(4) + 4
    for index in 0..<told {
      if index % 16 == 0 { reader.refill(from: bytes) }
      builder.lengths[Int(Self.lengthOrder[index])] = UInt8(truncatingIfNeeded: reader.take(3))
    }
    lengthTable.removeAll(keepingCapacity: true)
    _ = try builder.appendTable(
      symbolCount: Self.lengthOrder.count, rootBits: Self.lengthRootBits, to: &lengthTable)
  }

  /// The normal form: a length, or 16 for the last length but 0 again, or 17 and 18 for a run of zeros.
  private static func readLengths(
    _ lengths: inout ContiguousArray<UInt8>, symbolCount: Int, _ lengthTable: ContiguousArray<PrefixCodeEntry>,
    _ state: inout BitReader, _ bytes: Span<UInt8>
  ) throws(LosslessFault) {
    var reader = state
    defer { state = reader }
    reader.refill(from: bytes)
    var toRead = symbolCount
    if reader.take(1) == 1 {
      toRead = 2 + reader.take(2 + 2 * reader.take(3))
      guard toRead <= symbolCount else { throw LosslessFault("more code lengths than symbols") }
    }
    var lengths = lengths.mutableSpan
    let table = lengthTable.span.extracting(first: 1 << lengthRootBits)
    var last: UInt8 = 8
    var symbol = 0
    while symbol < symbolCount && toRead > 0 {
      toRead &-= 1
      reader.refill(from: bytes)
      let entry = table[Int(truncatingIfNeeded: reader.window & 127)]
      reader.drop(entry.bits)
      let code = entry.symbol
      if code < 16 {
        let length = UInt8(truncatingIfNeeded: code)
        lengths[symbol] = length
        if length != 0 { last = length }
        symbol &+= 1
        continue
      }
      let count = code == 16 ? reader.take(2) &+ 3 : code == 17 ? reader.take(3) &+ 3 : reader.take(7) &+ 11
      guard count <= symbolCount &- symbol else { throw LosslessFault("run of code lengths beyond the alphabet") }
      if code == 16 {
        for index in symbol..<symbol &+ count { lengths[index] = last }
      }
      symbol &+= count
    }
  }
}
