// Lookup tables for prefix codes (RFC 9649, section 3.7.2.1).
//
// A code of at most `rootBits` bits needs one lookup. The root table has an entry for each value of the next `rootBits`
// bits. A shorter code fills all entries whose index begins with it. Longer codes with the same first `rootBits` bits
// share a second-level table. It follows the root table, and its size depends on its longest code. The first bit of a
// code is the lowest bit of an index, as in the stream.
//
// `PrefixCodeEntry` describes the entries.

internal import WebPFormat

/// Builds tables from code lengths. The working memory is allocated once.
struct PrefixCodeTableBuilder {
  /// The symbols that occur, by length, then by value: the order of their codes.
  private var symbols: ContiguousArray<UInt16>
  /// The index in `symbols` of the first symbol of each length.
  private var starts = ContiguousArray<Int>(filledWith: 0, count: PrefixCodeLengths.longest + 1)

  /// - Parameter symbolCount: the size of the largest alphabet.
  init(symbolCount: Int) { symbols = ContiguousArray(filledWith: 0, count: symbolCount) }

  /// Appends the table of a code. The table of a green code gets space for low bytes after its root table.
  ///
  /// - Returns: the length of the longest code, or 0 if there is only one symbol, which takes no bits.
  mutating func appendTable(
    _ lengths: PrefixCodeLengths, rootBits: Int, isGreen: Bool, to tables: inout ContiguousArray<PrefixCodeEntry>
  ) throws(ErrorCause) -> Int {
    let longest = try lengths.checkedLongest()
    let base = tables.count
    if let symbol = lengths.single {
      let only = isGreen ? PrefixCodeEntry(green: symbol, length: 0) : PrefixCodeEntry(symbol: symbol, length: 0)
      tables.appendRoot(only, rootBits: rootBits, hasLowBytes: isGreen)
      return 0
    }
    Self.sort(lengths, into: &symbols, starts: &starts)
    tables.appendRoot(PrefixCodeEntry(word: 0), rootBits: rootBits, hasLowBytes: isGreen)
    let (done, code) = fillRoot(lengths.counts, base: base, rootBits: rootBits, isGreen: isGreen, &tables)
    if done < lengths.usedCount {
      appendSecondTables(lengths, from: done, code: code, base: base, rootBits: rootBits, &tables)
    }
    return longest
  }

  private static func sort(
    _ lengths: PrefixCodeLengths, into symbols: inout ContiguousArray<UInt16>, starts: inout ContiguousArray<Int>
  ) {
    var start = 0
    for length in 1...PrefixCodeLengths.longest {
      starts[length] = start
      start &+= lengths.counts[length]
    }
    var starts = starts.mutableSpan
    var symbols = symbols.mutableSpan
    let used = lengths.used.span
    for index in 0..<lengths.usedCount {
      let length = Int(used[index] & 15)
      symbols[starts[length]] = used[index] &>> 4
      starts[length] &+= 1
    }
  }

  /// Fills the root table with the codes that fit. For each length, the filled part is doubled, which repeats the
  /// shorter codes.
  ///
  /// - Returns: the number of codes in the root table, and the code after them.
  private func fillRoot(
    _ counts: ContiguousArray<Int>, base: Int, rootBits: Int, isGreen: Bool,
    _ tables: inout ContiguousArray<PrefixCodeEntry>
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
        let symbol = Int(symbols[done])
        tables[base &+ Int(code)] =
          isGreen ? PrefixCodeEntry(green: symbol, length: length) : PrefixCodeEntry(symbol: symbol, length: length)
        done &+= 1
        code = Self.successor(of: code, length: length)
      }
    }
    return (done, code)
  }

  /// Appends a second-level table for each run of longer codes with the same first `rootBits` bits.
  private func appendSecondTables(
    _ lengths: PrefixCodeLengths, from first: Int, code firstCode: UInt32, base: Int, rootBits: Int,
    _ tables: inout ContiguousArray<PrefixCodeEntry>
  ) {
    let (counts, used) = (lengths.counts, lengths.usedCount)
    var done = first
    var code = firstCode
    var length = rootBits + 1
    var left = counts[length]  // remaining codes of this length
    while done < used {
      while left == 0 {
        length += 1
        left = counts[length]
      }
      // The index of the table is widened until the codes fill the table.
      var longest = length
      var space = 1 << (length - rootBits) - left
      while space > 0 {
        longest += 1
        space = space << 1 - counts[longest]
      }
      let moreBits = longest - rootBits
      let offset = tables.count - base
      tables.append(contentsOf: repeatElement(PrefixCodeEntry(word: 0), count: 1 << moreBits))
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

  /// The code after `code`. The first bit of a code is its lowest, so 1 is added to the highest of `length` bits, and
  /// carries propagate downward.
  @inline(__always)
  private static func successor(of code: UInt32, length: Int) -> UInt32 {
    let unset = ~code & ((1 &<< UInt32(truncatingIfNeeded: length)) &- 1)
    guard unset != 0 else { return 0 }
    let bit = (1 as UInt32) &<< UInt32(truncatingIfNeeded: 31 &- unset.leadingZeroBitCount)
    return (code & (bit &- 1)) | bit
  }
}
