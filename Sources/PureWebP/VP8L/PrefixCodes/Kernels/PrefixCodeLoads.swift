// Loads from the root tables of prefix codes and from their low bytes.
//
// Unsafe code: The span checks each load, except where a comparison in the same function did. A precondition checks
// each store, or several together. Every bit pattern is a valid number.
// Plain formula: `PlainLosslessStream` in Tests/TestSupport/LosslessStream.swift.

internal import WebPFormat

extension Span<PrefixCodeEntry> {
  /// Loads the byte at a byte index, as an entry of which only the lowest byte is valid. Traps unless it is in bounds.
  @inline(__always)
  func lowByte(_ position: Int) -> PrefixCodeEntry {
    // `bytes` checks the bounds. `unsafe` is required only because any bit pattern is allowed.
    PrefixCodeEntry(word: UInt32(unsafe bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self)))
  }

  /// The root table at an index, valid as long as the span is. Traps unless all entries and low bytes are in bounds.
  @inline(__always)
  func root(at index: Int, rootBits: Int) -> PrefixCodeRoot {
    unsafe withUnsafeBytes { unsafe PrefixCodeRoot($0, at: index, rootBits: rootBits) }
  }
}

extension ContiguousArray<PrefixCodeEntry> {
  /// Fills in the low bytes of a root table. Must be called after its entries change. Traps unless all are in bounds.
  mutating func fillLowBytes(ofRoot root: Int, rootBits: Int) {
    unsafe withUnsafeMutableBytes { bytes in
      let root = unsafe PrefixCodeRoot(UnsafeRawBufferPointer(bytes), at: root, rootBits: rootBits)
      let lowBytes = unsafe UnsafeMutableRawPointer(mutating: root.lowBytes)
      for index in 0..<1 &<< rootBits {
        let lowByte = unsafe UInt8(truncatingIfNeeded: root.entry(index).word)
        unsafe lowBytes.storeBytes(of: lowByte, toByteOffset: index, as: UInt8.self)
      }
    }
  }
}

/// Pointers to the entries and low bytes of a root table.
@unsafe
struct PrefixCodeRoot {
  let entries: UnsafeRawPointer
  let lowBytes: UnsafeRawPointer

  /// Traps unless all entries and low bytes are in bounds.
  @inline(__always)
  fileprivate init(_ tables: UnsafeRawBufferPointer, at index: Int, rootBits: Int) {
    precondition(
      index >= 0 && rootBits >= 2 && rootBits <= PrefixCodeGroup.mostBits
        && index <= tables.count &>> 2 &- PrefixCodeEntry.countWithLowBytes(1 &<< rootBits))
    unsafe entries = unsafe tables.baseAddress.unsafelyUnwrapped + 4 &* index
    unsafe lowBytes = unsafe entries + 4 &<< rootBits
  }

  @inline(__always)
  func entry(_ index: Int) -> PrefixCodeEntry {
    unsafe PrefixCodeEntry(word: entries.load(fromByteOffset: 4 &* index, as: UInt32.self))
  }

  /// Loads a low byte, as an entry of which only the lowest byte is valid.
  @inline(__always)
  func lowByte(_ index: Int) -> PrefixCodeEntry {
    unsafe PrefixCodeEntry(word: UInt32(lowBytes.load(fromByteOffset: index, as: UInt8.self)))
  }
}
