// Roots are made ready for the loop that is to look up in them: the one that makes pixels, or the one that makes words.

extension PrefixCodeGroup {
  /// Where two colours of the cache have short codes, one look-up finds both.
  func pairColors(_ tables: inout ContiguousArray<PrefixCodeEntry>) {
    defer { tables.fillHeads(ofRoot: green, bits: bits) }
    var tables = tables.mutableSpan
    // What follows the first code is at a lower index: from the last on, it is not yet a pair.
    for index in stride(from: 1 &<< bits &- 1, to: 0, by: -1) {
      let first = tables[green &+ index]
      if !first.isWhole { continue }
      let second = tables[green &+ index &>> first.length]
      if let pair = PrefixCodeEntry(first, second, rootBits: bits) { tables[green &+ index] = pair }
    }
  }

  /// Literals are as in words.
  func prepareForWords(_ tables: inout ContiguousArray<PrefixCodeEntry>) {
    for index in green..<green + 1 << bits where !tables[index].isSpecial {
      let literal = tables[index]
      tables[index] =
        form == .green
        ? PrefixCodeEntry(literal, redBlueAlpha: constant) : PrefixCodeEntry(literal, isDetour: form == .alpha)
    }
    tables.fillHeads(ofRoot: green, bits: bits)
  }
}
