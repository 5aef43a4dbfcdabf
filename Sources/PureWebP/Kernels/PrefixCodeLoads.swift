// As Loads.swift, for the tables of prefix codes.

extension Span<PrefixCodeEntry> {
  /// The entry at a place in bytes. Traps unless all of it is in bounds.
  @inline(__always)
  func entry(atByte place: Int) -> PrefixCodeEntry {
    // `bytes` checks the bounds itself; `unsafe` only because any bit pattern is allowed.
    PrefixCodeEntry(bits: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt32.self))
  }
}
