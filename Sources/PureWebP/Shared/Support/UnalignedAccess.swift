// The loads and stores of parsers: several bytes in one operation, with bounds checks.

extension Span<UInt8> {
  /// The eight bytes at `offset` as a big-endian number. Traps unless all eight are in bounds.
  @inline(__always)
  func loadBigEndian(at offset: Int) -> UInt64 {
    // `bytes` checks the bounds. `unsafe` is required only because any bit pattern is allowed.
    UInt64(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}

extension MutableSpan<Int8> {
  /// Stores `count` vectors of sixteen numbers from `offset` on. Traps unless all are in bounds, which is checked once.
  @inline(__always)
  mutating func storeVectors(_ count: Int, at offset: Int, _ vector: (Int) -> SIMD16<Int8>) {
    precondition(offset >= 0 && offset <= self.count &- 16 &* count)
    // `unsafe` is required to write the bytes of numbers, and because the stores are not checked again.
    var bytes = unsafe mutableBytes
    for index in 0..<count {
      unsafe bytes.storeBytes(
        of: vector(index), toUncheckedByteOffset: offset &+ 16 &* index, as: SIMD16<Int8>.self)
    }
  }

  /// Stores a number at index `position`, 0...15, of the sixteen numbers at `offset`. Traps unless all sixteen are in
  /// bounds, so that the compiler can merge the checks of several stores.
  @inline(__always)
  mutating func store(_ number: Int8, at position: Int, ofBlockAt offset: Int) {
    precondition(offset >= 0 && offset <= count &- 16)
    unsafe self[unchecked: offset &+ position & 15] = number
  }
}

extension Span<UInt8> {
  /// The eight bytes at `offset`, which must not be negative, as a little-endian number. Bytes past the end are zero.
  @inline(__always)
  func paddedLittleEndian(at offset: Int) -> UInt64 {
    // The comparison checks both bounds, so the load is unchecked.
    if UInt(bitPattern: offset) < UInt(bitPattern: Swift.max(0, count &- 7)) {
      return unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }
    return paddedTail(at: offset)
  }

  @inline(never)
  private func paddedTail(at offset: Int) -> UInt64 {
    var number: UInt64 = 0
    for index in 0..<Swift.max(0, Swift.min(8, count &- offset)) {
      number |= UInt64(self[offset &+ index]) &<< UInt64(8 &* index)
    }
    return number
  }
}
