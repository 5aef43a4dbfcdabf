// Heads: the lowest byte of each entry of a root, side by side behind the root.
//
//   ├ entry 0 ┼ entry 1 ┼ … ┼ entry 2ⁿ − 1 ┼ heads 0 to 3 ┼ heads 4 to 7 ┼ … ┤
//
// A head says how many bits to drop, and of what kind the entry is: all that the next look-up waits for. The chain of
// look-ups, which lossless decoding takes most of its time for, so meets a fifth of the memory that a root has; the rest
// of an entry may come later. The roots of green, and of red and blue together, have heads.

extension PrefixCodeEntry {
  /// How many entries' room a root takes with its heads.
  static func withHeads(_ entries: Int) -> Int { entries + entries / 4 }
}

extension ContiguousArray<PrefixCodeEntry> {
  /// Appends a root of equal entries, and room for their heads.
  mutating func appendRoot(_ entry: PrefixCodeEntry, bits: Int, hasHeads: Bool = true) {
    append(contentsOf: repeatElement(entry, count: hasHeads ? PrefixCodeEntry.withHeads(1 << bits) : 1 << bits))
  }
}
