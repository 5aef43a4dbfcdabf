// Access to two rows for the kernels, as in CheckedRows.swift.

internal import WebPFormat

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
