// The low bytes of a root table: the lowest byte of each entry, stored again after the table.
//
//     ├ entry 0 ┼ entry 1 ┼ … ┼ entry 2ⁿ − 1 ┼ low bytes 0 to 3 ┼ low bytes 4 to 7 ┼ … ┤
//
// A low byte has the number of bits to drop and the kind of the entry. The next lookup depends on nothing else, and the
// chain of lookups dominates the time of lossless decoding. Low bytes are a quarter of the size of the entries, so
// their loads hit the processor's cache more often. Nothing waits for the rest of an entry. Only the root tables of
// green, and of red and blue together, have low bytes.

internal import WebPFormat

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
