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

/// The offsets of two rows that a kernel processes together. They may be the same row.
struct RowPair {
  var top: Int
  var bottom: Int
}

extension Span<UInt8> {
  /// Same as `row(at:count:)`, for both rows.
  @inline(__always)
  func rows(at rows: RowPair, count: Int) -> (top: UnsafeRawPointer, bottom: UnsafeRawPointer) {
    unsafe (row(at: rows.top, count: count), row(at: rows.bottom, count: count))
  }
}

extension MutableSpan<UInt8> {
  /// Same as `mutableRow(at:count:)`, for both rows.
  @inline(__always)
  mutating func mutableRows(
    at rows: RowPair, count: Int
  ) -> (top: UnsafeMutableRawPointer, bottom: UnsafeMutableRawPointer) {
    unsafe (mutableRow(at: rows.top, count: count), mutableRow(at: rows.bottom, count: count))
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
