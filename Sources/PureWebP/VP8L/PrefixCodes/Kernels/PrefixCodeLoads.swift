// Loads from root tables of prefix codes and their heads, as UnalignedAccess.swift does for pixels.

extension Span<PrefixCodeEntry> {
  /// The head at a byte index: an entry of which only the lowest byte is known. Traps unless it is in bounds.
  @inline(__always)
  func head(_ place: Int) -> PrefixCodeEntry {
    // `bytes` checks the bounds itself; `unsafe` only because any bit pattern is allowed.
    PrefixCodeEntry(bits: UInt32(unsafe bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self)))
  }

  /// The root table at an index, valid as long as the span is. Traps unless all entries and heads are in bounds.
  @inline(__always)
  func root(at index: Int, bits: Int) -> PrefixCodeRoot {
    unsafe withUnsafeBytes { unsafe PrefixCodeRoot($0, at: index, bits: bits) }
  }
}

extension ContiguousArray<PrefixCodeEntry> {
  /// Fills in the heads of a root table. Must be called after its entries change. Traps unless all are in bounds.
  mutating func fillHeads(ofRoot root: Int, bits: Int) {
    unsafe withUnsafeMutableBytes { bytes in
      let root = unsafe PrefixCodeRoot(UnsafeRawBufferPointer(bytes), at: root, bits: bits)
      let heads = unsafe UnsafeMutableRawPointer(mutating: root.heads)
      for index in 0..<1 &<< bits {
        let head = unsafe UInt8(truncatingIfNeeded: root.entry(index).bits)
        unsafe heads.storeBytes(of: head, toByteOffset: index, as: UInt8.self)
      }
    }
  }
}

/// Pointers to the entries and heads of a root table.
@unsafe
struct PrefixCodeRoot {
  let entries: UnsafeRawPointer
  let heads: UnsafeRawPointer

  /// Traps unless all entries and heads are in bounds.
  @inline(__always)
  fileprivate init(_ tables: UnsafeRawBufferPointer, at index: Int, bits: Int) {
    precondition(
      index >= 0 && bits >= 2 && bits <= PrefixCodeGroup.mostBits
        && index <= tables.count &>> 2 &- PrefixCodeEntry.withHeads(1 &<< bits))
    unsafe entries = unsafe tables.baseAddress.unsafelyUnwrapped + 4 &* index
    unsafe heads = unsafe entries + 4 &<< bits
  }

  @inline(__always)
  func entry(_ index: Int) -> PrefixCodeEntry {
    unsafe PrefixCodeEntry(bits: entries.load(fromByteOffset: 4 &* index, as: UInt32.self))
  }

  /// An entry of which only the lowest byte is known.
  @inline(__always)
  func head(_ index: Int) -> PrefixCodeEntry {
    unsafe PrefixCodeEntry(bits: UInt32(heads.load(fromByteOffset: index, as: UInt8.self)))
  }
}
