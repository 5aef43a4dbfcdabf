// Decoding tables for prefix codes (RFC 9649, section 3.7.2.1).
//
// A code of at most `rootBits` bits is found by one look-up: the table's root has an entry for each value of the next
// `rootBits` bits, and a shorter code fills all entries that begin with it. A longer code leads to a second table,
// which follows the root and is as large as the longest code in it needs. (The stream has a code's first bit lowest,
// so that "begins with" means the lowest bits of the index.)
//
//   entry   31          16 15       8  7  6  5       0
//           ├─ symbol ────┤├─ 0 ─────┤  0  0 ├ length ┤    a symbol
//           ├─ symbol ────┤├─ 0 ─────┤  0  1 ├ length ┤    a length of a copy      (in a green root only)
//           ├─ symbol ────┤├─ 0 ─────┤  1  1 ├ length ┤    a colour of the cache   (in a green root only)
//           ├─ offset ────┤├─ bits ──┤  0  1 ├─ root ─┤    `bits` more bits select an entry from `offset` on
//           ├─ pixel ────────────────┤  0  0 ├ length ┤    channels in place (roots of PrefixCodeGroup only)
//
// In a second table lengths are counted without the root's. The bits to drop are always the lowest six.

/// What the next bits of the stream say.
struct PrefixCodeEntry {
  var bits: UInt32

  static let notLiteral: UInt32 = 0x40
  static let cached: UInt32 = 0x80

  init(bits: UInt32) { self.bits = bits }

  @inline(__always)
  init(symbol: Int, length: Int) { bits = UInt32(truncatingIfNeeded: symbol &<< 16 | length) }

  @inline(__always)
  init(rootBits: Int, moreBits: Int, offset: Int) {
    bits = UInt32(truncatingIfNeeded: offset &<< 16 | moreBits &<< 8 | rootBits) | Self.notLiteral
  }

  @inline(__always)
  var length: Int { Int(bits & 63) }
  @inline(__always)
  var symbol: Int { Int(bits &>> 16) }
  /// Whether the entry is more than a literal: it leads to a second table, or holds a length or a cache index.
  @inline(__always)
  var isSpecial: Bool { bits & Self.notLiteral != 0 }
  @inline(__always)
  var isCached: Bool { bits & Self.cached != 0 }
  /// How many more bits select the entry of a second table; 0: this is the symbol.
  @inline(__always)
  var moreBits: UInt64 { UInt64(bits &>> 8 & 15) }
  @inline(__always)
  var offset: Int { Int(bits &>> 16) }
}

/// Makes tables from code lengths, with room to work that is allocated once.
struct PrefixCodeTableBuilder {
  static let longestCode = 15

  /// The length of each symbol's code, 0 for a symbol that does not occur; whoever builds fills the first ones.
  var lengths: ContiguousArray<UInt8>
  /// The symbols that occur, by length, then by value: the order of their codes.
  private var symbols: ContiguousArray<UInt16>
  /// How many codes have each length.
  private var counts = ContiguousArray<Int>(repeating: 0, count: longestCode + 1)
  /// Where the symbols with codes of each length start.
  private var starts = ContiguousArray<Int>(repeating: 0, count: longestCode + 1)

  /// - Parameter symbolCount: of the largest alphabet.
  init(symbolCount: Int) {
    lengths = ContiguousArray(repeating: 0, count: symbolCount)
    symbols = ContiguousArray(repeating: 0, count: symbolCount)
  }

  /// Appends the table for the code with the first `symbolCount` of `lengths`.
  ///
  /// - Returns: the length of the longest code; 0 if there is a single symbol, which then takes no bits.
  mutating func appendTable(
    symbolCount: Int, rootBits: Int, to tables: inout ContiguousArray<PrefixCodeEntry>
  ) throws(LosslessFault) -> Int {
    let used = Self.sort(symbolCount, lengths, into: &symbols, counts: &counts, starts: &starts)
    guard used > 0 else { throw LosslessFault("prefix code without symbols") }
    let base = tables.count
    guard used > 1 else {
      let only = PrefixCodeEntry(symbol: Int(symbols[0]), length: 0)
      tables.append(contentsOf: repeatElement(only, count: 1 << rootBits))
      return 0
    }
    var space = 1 << Self.longestCode
    var longest = 0
    for length in 1...Self.longestCode where counts[length] > 0 {
      space -= counts[length] << (Self.longestCode - length)
      longest = length
    }
    guard space == 0 else { throw LosslessFault("prefix code incomplete or over-full") }

    tables.append(contentsOf: repeatElement(PrefixCodeEntry(bits: 0), count: 1 << rootBits))
    let (done, code) = fillRoot(base: base, rootBits: rootBits, &tables)
    if done < used { appendSecondTables(from: done, of: used, code: code, base: base, rootBits: rootBits, &tables) }
    return longest
  }

  /// Sorts the symbols with codes by length, and counts them.
  private static func sort(
    _ symbolCount: Int, _ lengths: ContiguousArray<UInt8>, into symbols: inout ContiguousArray<UInt16>,
    counts: inout ContiguousArray<Int>, starts: inout ContiguousArray<Int>
  ) -> Int {
    var counts = counts.mutableSpan
    var starts = starts.mutableSpan
    var symbols = symbols.mutableSpan
    let lengths = lengths.span.extracting(first: symbolCount)
    for length in 0...longestCode { counts[length] = 0 }
    for symbol in lengths.indices { counts[Int(lengths[symbol] & 15)] &+= 1 }
    var start = 0
    for length in 1...Self.longestCode {
      starts[length] = start
      start &+= counts[length]
    }
    for symbol in lengths.indices {
      let length = Int(lengths[symbol] & 15)
      if length == 0 { continue }
      symbols[starts[length]] = UInt16(truncatingIfNeeded: symbol)
      starts[length] &+= 1
    }
    return start
  }

  /// Fills the root from the codes that fit: for each length it is doubled, which repeats the shorter ones.
  ///
  /// - Returns: how many codes it took, and the one after them.
  private func fillRoot(
    base: Int, rootBits: Int, _ tables: inout ContiguousArray<PrefixCodeEntry>
  ) -> (done: Int, code: UInt32) {
    var tables = tables.mutableSpan
    let symbols = self.symbols.span
    var done = 0
    var code: UInt32 = 0
    var size = 1
    for length in 1...rootBits {
      for index in base..<base &+ size { tables[size &+ index] = tables[index] }
      size &*= 2
      for _ in 0..<counts[length] {
        tables[base &+ Int(code)] = PrefixCodeEntry(symbol: Int(symbols[done]), length: length)
        done &+= 1
        code = Self.successor(of: code, length: length)
      }
    }
    return (done, code)
  }

  /// Appends the second tables, one for each run of longer codes that begin alike.
  private func appendSecondTables(
    from first: Int, of used: Int, code firstCode: UInt32, base: Int, rootBits: Int,
    _ tables: inout ContiguousArray<PrefixCodeEntry>
  ) {
    var done = first
    var code = firstCode
    var length = rootBits + 1
    var left = counts[length]  // codes of this length still to come
    while done < used {
      while left == 0 {
        length += 1
        left = counts[length]
      }
      // The table must hold codes until their space is used up.
      var longest = length
      var space = 1 << (length - rootBits) - left
      while space > 0 {
        longest += 1
        space = space << 1 - counts[longest]
      }
      let moreBits = longest - rootBits
      let offset = tables.count - base
      tables.append(contentsOf: repeatElement(PrefixCodeEntry(bits: 0), count: 1 << moreBits))
      let prefix = code & (1 << UInt32(rootBits) - 1)
      tables[base + Int(prefix)] = PrefixCodeEntry(rootBits: rootBits, moreBits: moreBits, offset: offset)
      repeat {
        while left == 0 {
          length += 1
          left = counts[length]
        }
        let entry = PrefixCodeEntry(symbol: Int(symbols[done]), length: length - rootBits)
        for index in stride(from: Int(code >> UInt32(rootBits)), to: 1 << moreBits, by: 1 << (length - rootBits)) {
          tables[base + offset + index] = entry
        }
        done += 1
        left -= 1
        code = Self.successor(of: code, length: length)
      } while done < used && code & (1 << UInt32(rootBits) - 1) == prefix
    }
  }

  /// The code after `code`, both with their first bit lowest: adds 1 to the highest of `length` bits, carrying down.
  @inline(__always)
  private static func successor(of code: UInt32, length: Int) -> UInt32 {
    let unset = ~code & ((1 &<< UInt32(truncatingIfNeeded: length)) &- 1)
    guard unset != 0 else { return 0 }
    let bit = (1 as UInt32) &<< UInt32(truncatingIfNeeded: 31 &- unset.leadingZeroBitCount)
    return (code & (bit &- 1)) | bit
  }
}
