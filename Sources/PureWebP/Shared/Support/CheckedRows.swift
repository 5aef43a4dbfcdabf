// Access to rows for the kernels. Bounds are checked once for each row.

extension Span<UInt8> {
  /// A pointer to the `count` bytes at `offset`, valid as long as the span is. Traps unless all are in bounds.
  @inline(__always)
  func row(at offset: Int, count: Int) -> UnsafeRawPointer {
    precondition(offset >= 0 && count > 0 && count <= self.count && offset <= self.count &- count, "row out of bounds")
    return unsafe withUnsafeBytes { unsafe $0.baseAddress.unsafelyUnwrapped + offset }
  }
}

extension MutableSpan<UInt8> {
  /// A pointer to the `count` bytes at `offset`, valid as long as the span is. Traps unless all are in bounds.
  @inline(__always)
  mutating func mutableRow(at offset: Int, count: Int) -> UnsafeMutableRawPointer {
    precondition(offset >= 0 && count > 0 && count <= self.count && offset <= self.count &- count, "row out of bounds")
    return unsafe withUnsafeMutableBytes { unsafe $0.baseAddress.unsafelyUnwrapped + offset }
  }
}

extension UnsafeRawPointer {
  /// The sixteen bytes from `offset` on.
  @inline(__always)
  func bytes(at offset: Int) -> Bytes { unsafe loadUnaligned(fromByteOffset: offset, as: Bytes.self) }

  @inline(__always)
  func byte(at offset: Int) -> UInt8 { unsafe load(fromByteOffset: offset, as: UInt8.self) }
}

extension UnsafeMutableRawPointer {
  /// The sixteen bytes from `offset` on.
  @inline(__always)
  func bytes(at offset: Int) -> Bytes { unsafe loadUnaligned(fromByteOffset: offset, as: Bytes.self) }

  @inline(__always)
  func byte(at offset: Int) -> UInt8 { unsafe load(fromByteOffset: offset, as: UInt8.self) }
}
