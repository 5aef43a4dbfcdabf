// The loads that parsers make from hostile bytes: several bytes at once, bounds checked by the span itself.

extension Span<UInt8> {
  /// The eight bytes at `offset` as a big-endian number. Traps unless all eight are in bounds.
  @inline(__always)
  func loadBigEndian(at offset: Int) -> UInt64 {
    // `bytes` checks the bounds itself; `unsafe` only because any bit pattern is allowed.
    UInt64(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// The eight bytes at `offset` as a little-endian number. Traps unless all eight are in bounds.
  @inline(__always)
  func loadLittleEndian(at offset: Int) -> UInt64 {
    // As above.
    UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}

extension MutableSpan<Int16> {
  /// The sixteen numbers from `offset` on. Traps unless all are in bounds.
  @inline(__always)
  func loadVector(at offset: Int) -> SIMD16<Int16> {
    // As above.
    unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset &* 2, as: SIMD16<Int16>.self)
  }

  /// Stores sixteen numbers from `offset` on. Traps unless all are in bounds.
  @inline(__always)
  mutating func storeVector(_ vector: SIMD16<Int16>, at offset: Int) {
    // The bytes check the bounds; `unsafe` only because the numbers' bytes may be written.
    var bytes = unsafe mutableBytes
    bytes.storeBytes(of: vector, toByteOffset: offset &* 2, as: SIMD16<Int16>.self)
  }
}
