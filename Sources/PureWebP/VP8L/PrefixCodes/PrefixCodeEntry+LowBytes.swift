// The low bytes of a root table: the lowest byte of each entry, stored again after the table.
//
//     ├ entry 0 ┼ entry 1 ┼ … ┼ entry 2ⁿ − 1 ┼ low bytes 0 to 3 ┼ low bytes 4 to 7 ┼ … ┤
//
// A low byte has the number of bits to drop and the kind of the entry, which is all that the next lookup depends on.
// The chain of lookups dominates the time of lossless decoding. Low bytes take a fifth of the memory of a root table,
// so the loads of that chain hit the cache more often. The rest of an entry may arrive later. Only the root tables of
// green, and of red and blue together, have low bytes.

extension PrefixCodeEntry {
  /// The number of entries that a root table occupies together with its low bytes.
  static func countWithLowBytes(_ entries: Int) -> Int { entries + entries / 4 }
}

extension ContiguousArray<PrefixCodeEntry> {
  /// Appends a root table of equal entries, and space for their low bytes.
  mutating func appendRoot(_ entry: PrefixCodeEntry, bits: Int, hasLowBytes: Bool = true) {
    let count = hasLowBytes ? PrefixCodeEntry.countWithLowBytes(1 << bits) : 1 << bits
    append(contentsOf: repeatElement(entry, count: count))
  }
}
