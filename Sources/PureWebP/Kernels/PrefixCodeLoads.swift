// As Loads.swift, for the roots of prefix codes and their heads.

extension Span<PrefixCodeEntry> {
  /// The head at a place in bytes: an entry of which the lowest byte is known. Traps unless it is in bounds.
  @inline(__always)
  func head(_ place: Int) -> PrefixCodeEntry {
    // `bytes` checks the bounds itself; `unsafe` only because any bit pattern is allowed.
    PrefixCodeEntry(bits: UInt32(unsafe bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self)))
  }

  /// The root of a table, good for as long as the span is. Traps unless all of it is in bounds, and its heads are.
  @inline(__always)
  func root(at index: Int, bits: Int) -> PrefixCodeRoot {
    precondition(
      index >= 0 && bits >= 2 && bits <= PrefixCodeGroup.mostBits
        && index <= count &- PrefixCodeEntry.withHeads(1 &<< bits))
    return unsafe withUnsafeBytes { bytes in
      let entries = unsafe bytes.baseAddress.unsafelyUnwrapped + 4 &* index
      return unsafe PrefixCodeRoot(entries: entries, heads: entries + 4 &<< bits)
    }
  }
}

extension ContiguousArray<PrefixCodeEntry> {
  /// Fills in the heads of a root. To be called when its entries have changed. Traps unless all are in bounds.
  mutating func fillHeads(ofRoot root: Int, bits: Int) {
    precondition(
      root >= 0 && 2...PrefixCodeGroup.mostBits ~= bits && root <= count &- PrefixCodeEntry.withHeads(1 &<< bits))
    unsafe withUnsafeMutableBytes { bytes in
      let entries = unsafe bytes.baseAddress.unsafelyUnwrapped + 4 &* root
      let heads = unsafe entries + 4 &<< bits
      for index in 0..<1 &<< bits {
        let entry = unsafe entries.load(fromByteOffset: 4 &* index, as: UInt32.self)
        unsafe heads.storeBytes(of: UInt8(truncatingIfNeeded: entry), toByteOffset: index, as: UInt8.self)
      }
    }
  }
}

/// Where a root is.
@unsafe
struct PrefixCodeRoot {
  let entries: UnsafeRawPointer
  let heads: UnsafeRawPointer

  @inline(__always)
  func entry(_ index: Int) -> PrefixCodeEntry {
    unsafe PrefixCodeEntry(bits: entries.load(fromByteOffset: 4 &* index, as: UInt32.self))
  }

  /// An entry of which the lowest byte is known.
  @inline(__always)
  func head(_ index: Int) -> PrefixCodeEntry {
    unsafe PrefixCodeEntry(bits: UInt32(heads.load(fromByteOffset: index, as: UInt8.self)))
  }
}
