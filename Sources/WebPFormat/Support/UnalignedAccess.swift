// The loads of parsers: several bytes in one operation, with bounds checks.
//
// Unsafe code: The span checks each load, except where a comparison in the same function did. A precondition checks
// each store, or several together. Every bit pattern is a valid number.

extension Span<UInt8> {
  /// The eight bytes at `offset` as a big-endian number. Traps unless all eight are in bounds.
  @inlinable @inline(__always)
  public func loadBigEndian(at offset: Int) -> UInt64 {
    // `bytes` checks the bounds. `unsafe` is required only because any bit pattern is allowed.
    UInt64(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// The eight bytes at `offset`, which must not be negative, as a little-endian number. Bytes past the end are zero.
  @inlinable @inline(__always)
  public func paddedLittleEndian(at offset: Int) -> UInt64 {
    // The comparison checks both bounds, so the load is unchecked.
    if UInt(bitPattern: offset) < UInt(bitPattern: Swift.max(0, count &- 7)) {
      return unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }
    return paddedTail(at: offset)
  }

  @inline(never) @usableFromInline
  func paddedTail(at offset: Int) -> UInt64 {
    var number: UInt64 = 0
    for index in 0..<Swift.max(0, Swift.min(8, count &- offset)) {
      number |= UInt64(self[offset &+ index]) &<< UInt64(8 &* index)
    }
    return number
  }
}
