// Prefix codes (RFC 9649, section 3.7). The table of a code has its symbols, in the order of their code words. The
// first time, a code word is decoded bit by bit, and its entry is stored in the root. From then on, one lookup in the
// root finds it (PrefixCode.swift).
//
//     table     1                  16              17 + mask
//     ├ mask ───┼ counts of codes ─┼ root ─────────┼ symbols … ┤
//               of 1 … 15 bits
//
// If a code has one symbol, its code word has no bits. The root has one entry, which is stored when the table is built.

internal import WebPFormat

/// Reads the codes of an image, one by one (RFC 9649, section 3.7.2.1).
struct PrefixCodeReader {
  /// The maximum index width of a root.
  private let rootBits: Int
  /// The number of symbols that have a length in the code that is being read.
  private var used = 0
  /// The largest symbol of the code that was read last.
  private(set) var largestSymbol = 0

  /// - Parameter pixels: the approximate number of pixels for each code. It bounds the size of the roots. A root stores
  ///   only symbols that occur, so few pixels fill few entries, and large roots of many groups would take far more
  ///   memory than the image.
  init(pixels: Int) {
    var bits = PrefixCode.rootBits
    while bits > 1, 8 << bits > pixels { bits -= 1 }
    rootBits = bits
  }

  /// Reads a code for symbols below `symbolCount`.
  ///
  /// - Returns: the position of its table.
  @inline(never)
  mutating func read(
    symbolCount: Int, _ memory: inout LosslessMemory, _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) throws(ErrorCause) -> Int {
    if reader.take(1, bytes) == 1 {
      // A simple code: one or two symbols, the first with 1 or 8 bits. Symbols outside of the alphabet are ignored.
      let hasSecond = reader.take(1, bytes) == 1
      let first = reader.take(reader.take(1, bytes) == 1 ? 8 : 1, bytes)
      let second = hasSecond ? reader.take(8, bytes) : first
      let (lower, upper) = (min(first, second), max(first, second))
      if lower < symbolCount { append(lower, length: 1, &memory) }
      if upper > lower, upper < symbolCount { append(upper, length: 1, &memory) }
      return try makeTable(&memory)
    }
    // The lengths of the code length code, in three bits for each symbol, reordered by symbol.
    var packed: UInt64 = 0
    for index in 0..<reader.take(4, bytes) &+ 4 {
      packed |= UInt64(reader.take(3, bytes)) &<< (3 &* UInt64(codeLengthOrder[index]))
    }
    for symbol in 0..<19 {
      append(symbol, length: Int(truncatingIfNeeded: packed & 7), &memory)
      packed &>>= 3
    }
    let start = memory.used
    let table = try makeTable(&memory)
    var toRead = symbolCount
    if reader.take(1, bytes) == 1 {
      toRead = 2 &+ reader.take(2 &+ 2 &* reader.take(3, bytes), bytes)
      guard toRead <= symbolCount else { throw ErrorCause.tooManyCodeLengths }
    }
    var last = 8
    var symbol = 0
    while symbol < symbolCount && toRead > 0 {
      toRead &-= 1
      let bits = reader.peek(at: reader.bit, bytes)
      var words = memory.words.mutableSpan
      let entry = Int(PrefixCode(table, words).find(bits, &words))
      reader.bit &+= entry & 15
      // A length, or 16 to repeat the last nonzero length, or 17 and 18 for a run of zeros.
      var length = entry &>> 7
      var count = 1
      if length == 16 {
        count = reader.take(2, bytes) &+ 3
        length = last
      } else if length > 16 {
        count = length == 17 ? reader.take(3, bytes) &+ 3 : reader.take(7, bytes) &+ 11
        length = 0
      } else if length > 0 {
        last = length
      }
      guard count <= symbolCount &- symbol else { throw ErrorCause.codeLengthRunExceedsAlphabet }
      for _ in 0..<count {
        append(symbol, length: length, &memory)
        symbol &+= 1
      }
    }
    memory.used = start
    return try makeTable(&memory)
  }

  /// Assigns a code of `length` bits to a symbol, or none if `length` is 0. The symbol must be larger than the symbols
  /// before it.
  private mutating func append(_ symbol: Int, length: Int, _ memory: inout LosslessMemory) {
    if length == 0 { return }
    var words = memory.words.mutableSpan
    words[LosslessMemory.lengths &+ used] = UInt32(truncatingIfNeeded: symbol &<< 4 | length)
    words[length] &+= 1
    used &+= 1
    largestSymbol = symbol
  }

  /// Builds the table of the appended lengths, and removes them.
  @inline(never)
  private mutating func makeTable(_ memory: inout LosslessMemory) throws(ErrorCause) -> Int {
    let used = used
    self.used = 0
    var longest = 0
    var space = 1 << PrefixCode.longest
    var words = memory.words.mutableSpan
    for length in 1...PrefixCode.longest where words[length] > 0 {
      space &-= Int(words[length]) &<< (PrefixCode.longest &- length)
      longest = length
    }
    if used < 2 {
      guard used == 1 else { throw ErrorCause.emptyPrefixCode }
      words[longest] = 0
      longest = 0
      space = 0
    }
    guard space == 0 else { throw ErrorCause.invalidPrefixCode }
    let rootSize = 1 &<< min(longest, rootBits)
    let table = memory.allocate(16 &+ rootSize &+ used)
    words = memory.words.mutableSpan
    words[table] = UInt32(truncatingIfNeeded: rootSize &- 1)
    if used == 1 {
      words[table &+ 16] = PrefixCode.entry(UInt32(truncatingIfNeeded: largestSymbol), length: 0)
    }
    // The position of the next symbol of each length.
    var start = table &+ 16 &+ rootSize
    for length in 1...PrefixCode.longest {
      let count = words[length]
      words[table &+ length] = count
      words[length] = UInt32(truncatingIfNeeded: start)
      start &+= Int(count)
    }
    for index in 0..<used {
      let entry = words[LosslessMemory.lengths &+ index]
      let length = Int(entry & 15)
      words[Int(words[length])] = entry &>> 4
      words[length] &+= 1
    }
    for length in 1...PrefixCode.longest { words[length] = 0 }
    return table
  }
}
