// Heads: the lowest bytes of a root table's entries, stored contiguously after the table.
//
//     ├ entry 0 ┼ entry 1 ┼ … ┼ entry 2ⁿ − 1 ┼ heads 0 to 3 ┼ heads 4 to 7 ┼ … ┤
//
// A head stores the number of bits to drop and the kind of the entry, which is all that the next lookup depends on. The
// chain of lookups dominates the time of lossless decoding. Heads take a fifth of the memory of a root table, so the
// loads of that chain hit the cache more often. The rest of an entry may arrive later. The root tables of green, and of
// red and blue together, have heads.

extension PrefixCodeEntry {
  /// The number of entries that a root table occupies together with its heads.
  static func withHeads(_ entries: Int) -> Int { entries + entries / 4 }
}

extension ContiguousArray<PrefixCodeEntry> {
  /// Appends a root table of equal entries, and space for their heads.
  mutating func appendRoot(_ entry: PrefixCodeEntry, bits: Int, hasHeads: Bool = true) {
    append(contentsOf: repeatElement(entry, count: hasHeads ? PrefixCodeEntry.withHeads(1 << bits) : 1 << bits))
  }
}
