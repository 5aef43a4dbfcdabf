import ConformanceGenerator
import TestSupport
import Testing
import WebPFormat

@testable import PureWebP

/// Proves that prefix codes are read and decoded as specified in RFC 9649, section 3.7.2.1.
/// Expected values: codes that `PlainPrefixCode` writes. `WorkedExampleTests` explains a code.
@Suite struct LosslessPrefixCodeTests {
  @Test(arguments: [(5, 8), (40, 8), (256, 8), (280, 9), (2328, 9), (19, 7)])
  func tablesDecodeEveryCode(alphabet: Int, rootBits: Int) throws {
    var random = SplitMix64(seed: UInt64(alphabet))
    for round in 0..<12 {
      let count = round == 0 ? alphabet : Int.random(in: 2...alphabet, using: &random)
      var symbols = Array((0..<alphabet).shuffled(using: &random).prefix(count))
      var code = PlainPrefixCode.random(of: symbols, alphabet: alphabet, using: &random)
      if alphabet == 19 {
        // The code of the code lengths, whose codes have at most seven bits.
        symbols = [3, 4, 5, 6, 7, 8, 17, 18]
        code = PlainPrefixCode(lengths: [0, 0, 0, 7, 7, 6, 5, 4, 3, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1])
      }
      var builder = PrefixCodeTableBuilder(symbolCount: alphabet)
      var tables: ContiguousArray<PrefixCodeEntry> = [PrefixCodeEntry(symbol: 7, length: 7)]
      let lengths = lengths(code.lengths)
      let longest = try builder.appendTable(lengths, rootBits: rootBits, isGreen: false, to: &tables)
      #expect(longest == code.lengths.max())

      for symbol in symbols {
        let written = code.codes[symbol]
        var bits = Int.random(in: 0..<1 << 30, using: &random) << written.count
        for (position, bit) in written.enumerated() where bit == 1 { bits |= 1 << position }
        var entry = tables[1 + bits & (1 << rootBits - 1)]
        var length = entry.length
        if entry.moreBits > 0 {
          entry = tables[1 + entry.offset + bits >> rootBits & (1 << Int(entry.moreBits) - 1)]
          length += entry.length
        }
        #expect(entry.symbol == symbol && length == written.count)
      }
    }
  }

  private func lengths(_ lengths: [Int]) -> PrefixCodeLengths {
    var read = PrefixCodeLengths(symbolCount: lengths.count)
    for (symbol, length) in lengths.enumerated() where length > 0 { read.append(symbol, length: length) }
    return read
  }

  @Test func singleSymbolTakesNoBits() throws {
    for length in [1, 4, 15] {
      let lengths = lengths(Array(repeating: 0, count: 13) + [length, 0, 0])
      var builder = PrefixCodeTableBuilder(symbolCount: 16)
      var tables: ContiguousArray<PrefixCodeEntry> = []
      #expect(try builder.appendTable(lengths, rootBits: 8, isGreen: false, to: &tables) == 0)
      #expect(tables.count == 256 && tables.allSatisfy { $0.symbol == 13 && $0.length == 0 && !$0.isNotLiteral })
    }
  }

  /// The root table of a green code distinguishes literals, copies and colors of the cache.
  @Test func greenRootsDistinguishSymbols() throws {
    var codes = Array(repeating: 0, count: 290)
    for symbol in [0, 255, 256, 279, 280, 289] { codes[symbol] = symbol < 256 ? 2 : 3 }
    let code = PlainPrefixCode(lengths: codes)
    var builder = PrefixCodeTableBuilder(symbolCount: 290)
    var tables: ContiguousArray<PrefixCodeEntry> = []
    #expect(try builder.appendTable(lengths(codes), rootBits: 9, isGreen: true, to: &tables) == 3)
    for symbol in [0, 255, 256, 279, 280, 289] {
      let bits = code.codes[symbol].enumerated().reduce(0) { $0 | $1.element << $1.offset }
      let entry = tables[bits]
      #expect(
        entry.length == codes[symbol] && entry.isNotLiteral == (symbol >= 256)
          && entry.completesPixel == (symbol >= 280))
      if symbol < 256 { #expect(entry.word & 0xFFFF_FF00 == symbol << 8) }
      if 256..<280 ~= symbol { #expect(entry.symbol == symbol && entry.moreBits == 0) }
      // A color of the cache is identified by its slot.
      if symbol >= 280 { #expect(entry.slot == symbol - 280 && entry.moreColors == 0) }
    }
  }

  /// An entry for two cache colors stores the same slots and lengths as two single entries. If the values do not fit,
  /// there is no such entry.
  @Test func pairEntriesMatchTheirColors() throws {
    for (first, second) in [(0, 0), (1, 1023), (2047, 5), (5, 1024), (1023, 2047)] {
      for (a, b) in [(1, 1), (7, 2), (8, 1), (2, 7), (5, 5), (0, 3), (3, 0)] {
        let pair = PrefixCodeEntry(
          PrefixCodeEntry(green: 280 + first, length: a), PrefixCodeEntry(green: 280 + second, length: b), rootBits: 9)
        guard let pair else {
          #expect(second >= 1024 || a == 0 || a == 8 || a + b > 9)
          continue
        }
        #expect(second < 1024 && 1...7 ~= a && a + b <= 9)
        #expect(
          pair.completesPixel && pair.isNotLiteral && pair.moreColors == 1 && pair.length == a + b
            && pair.firstLength == a)
        #expect(pair.slot == first && pair.secondSlot == second)
      }
    }
    let literal = PrefixCodeEntry(green: 7, length: 2)
    let color = PrefixCodeEntry(green: 280 + 7, length: 2)
    #expect(PrefixCodeEntry(literal, color, rootBits: 9) == nil && PrefixCodeEntry(color, literal, rootBits: 9) == nil)
    #expect(color.firstLength == 2 && color.secondSlot == 0)
  }

  /// Each low byte is the lowest byte of its entry. Only the memory of the low bytes is written.
  @Test(arguments: [2, 9, 10]) func lowBytesMatchTheirEntries(bits: Int) {
    var random = SplitMix64(seed: UInt64(bits))
    let size = 1 << bits
    var tables = ContiguousArray(
      (0..<2 * size + 8).map { _ in PrefixCodeEntry(word: .random(in: 0 ... .max, using: &random)) })
    let before = tables.map(\.word)
    let root = 5
    tables.fillLowBytes(ofRoot: root, rootBits: bits)
    let lowBytes = tables.span.extracting(root + size..<root + size + size / 4)
    for index in 0..<size { #expect(lowBytes.lowByte(index).word == before[root + index] % 256) }
    let others = Array(0..<root + size) + Array(root + size + size / 4..<tables.count)
    #expect(others.allSatisfy { tables[$0].word == before[$0] })
  }

  @Test(arguments: [[], [1, 1, 1], [1, 2], [2, 2, 2], [3, 3, 3, 3, 3, 3, 3], [1, 2, 3, 4, 15]])
  func incompleteAndOverfullCodesAreRejected(codes: [Int]) {
    let lengths = lengths(codes.flatMap { [$0, 0] })
    #expect(throws: ErrorCause.self) { try lengths.checkedLongest() }
    var builder = PrefixCodeTableBuilder(symbolCount: 20)
    var tables: ContiguousArray<PrefixCodeEntry> = []
    #expect(throws: ErrorCause.self) {
      _ = try builder.appendTable(lengths, rootBits: 8, isGreen: false, to: &tables)
    }
  }

  /// A normal code with a repeated length, both kinds of zero runs, and fewer lengths than symbols.
  @Test func runsOfLengthsAreDecoded() throws {
    let used = [8, 16, 17, 18]
    let code = PlainPrefixCode(lengths: (0..<19).map { used.contains($0) ? 2 : 0 })
    var writer = BitWriter()
    writer.write(0, 1)
    writer.write(12 - 4, 4)
    for symbol in [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8] { writer.write(used.contains(symbol) ? 2 : 0, 3) }
    writer.write(1, 1)  // 251 codes, in 2 + 2 · 3 bits
    writer.write(3, 3)
    writer.write(251 - 2, 8)

    var expected: [Int] = []
    func run(_ symbol: Int, extra: Int, _ bits: Int, length: Int, _ count: Int) {
      writer.write(symbol, in: code)
      writer.write(extra, bits)
      expected += Array(repeating: length, count: count)
    }
    run(16, extra: 3, 2, length: 8, 6)  // before the first length, the repeated length is 8
    run(17, extra: 7, 3, length: 0, 10)
    run(16, extra: 0, 2, length: 8, 3)  // zeros do not change the repeated length
    run(18, extra: 127, 7, length: 0, 138)
    for _ in 0..<247 { run(8, extra: 0, 0, length: 8, 1) }

    var reader = BitReader(atBit: 0, of: writer.bytes.span)
    var codes = PrefixCodeReader(cacheSize: 2048)
    var tables: ContiguousArray<PrefixCodeEntry> = []
    let longest = try codes.readGreenTable(symbolCount: 420, rootBits: 9, to: &tables, &reader, writer.bytes.span)
    #expect(longest == 8 && reader.bit == writer.bitCount)
    #expect(tables.count == 512 + 512 / 4)
    let symbols = tables.prefix(512).map {
      $0.completesPixel ? 280 + $0.slot : $0.isNotLiteral ? $0.symbol : Int($0.green >> 8)
    }
    #expect(Set(symbols) == Set(expected.indices.filter { expected[$0] > 0 }))
  }

  /// A normal code stores the number of lengths, which must not exceed the number of symbols.
  @Test(arguments: [(256, true), (257, false)]) func lengthsMustNotExceedTheSymbols(count: Int, isRight: Bool) throws {
    var writer = BitWriter()
    writer.write(0, 1)
    writer.write(12 - 4, 4)
    // The only length, 8, takes no bits, so nothing follows.
    for symbol in [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8] { writer.write(symbol == 8 ? 1 : 0, 3) }
    writer.write(1, 1)
    writer.write(4, 3)
    writer.write(count - 2, 10)
    var reader = BitReader(atBit: 0, of: writer.bytes.span)
    var codes = PrefixCodeReader(cacheSize: 0)
    var fault: ErrorCause?
    do throws(ErrorCause) {
      #expect(try codes.skipTable(symbolCount: 256, &reader, writer.bytes.span) == 8)
    } catch {
      fault = error
    }
    #expect((fault == nil) == isRight)
  }

  /// Codes with the same single symbol share a table.
  @Test func singleSymbolsShareTables() throws {
    var writer = BitWriter()
    let symbols = [7, 200, 7, 7, 200, 0]
    for symbol in symbols {
      writer.write(1, 1)  // simple
      writer.write(0, 1)  // one symbol
      writer.write(1, 1)  // of eight bits
      writer.write(symbol, 8)
    }
    var reader = BitReader(atBit: 0, of: writer.bytes.span)
    var codes = PrefixCodeReader(cacheSize: 0)
    var tables: ContiguousArray<PrefixCodeEntry> = []
    var indexes: [Int] = []
    for _ in symbols {
      var table = -1
      #expect(try codes.readTable(symbolCount: 256, &table, in: &tables, &reader, writer.bytes.span) == 0)
      indexes.append(table)
    }
    #expect(indexes == [0, 256, 0, 0, 256, 512] && tables.count == 768)
    for (symbol, position) in zip(symbols, indexes) {
      #expect(tables[position..<position + 256].allSatisfy { $0.symbol == symbol && $0.length == 0 })
    }
  }

  @Test func symbolsOutsideOfTheAlphabetAreIgnored() throws {
    func read(_ symbols: [Int]) throws -> Set<Int> {
      var writer = BitWriter()
      writer.write(1, 1)
      writer.write(symbols.count - 1, 1)
      writer.write(1, 1)
      for symbol in symbols { writer.write(symbol, 8) }
      var reader = BitReader(atBit: 0, of: writer.bytes.span)
      var codes = PrefixCodeReader(cacheSize: 0)
      var tables: ContiguousArray<PrefixCodeEntry> = []
      var table = -1
      _ = try codes.readTable(symbolCount: 40, &table, in: &tables, &reader, writer.bytes.span)
      #expect(table == 0)
      return Set(tables.map(\.symbol))
    }
    #expect(try read([39, 3]) == [3, 39])
    #expect(try read([200, 3]) == [3])
    #expect(try read([3, 40]) == [3])
    #expect(try read([7, 7]) == [7])
    #expect(throws: ErrorCause.self) { try read([40]) }
  }
}
