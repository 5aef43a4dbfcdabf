// Copies of rows of samples. Bounds are checked once for each row.

extension MutableSpan<UInt8> {
  /// Copies `count` bytes. Traps unless all are in bounds.
  mutating func copy(_ count: Int, from source: Span<UInt8>, at sourceOffset: Int, to offset: Int) {
    guard count > 0 else { return }
    let row = unsafe mutableRow(at: offset, count: count)
    unsafe row.copyMemory(from: source.row(at: sourceOffset, count: count), byteCount: count)
  }

  /// Sets `count` bytes to `value`. Traps unless all are in bounds.
  mutating func fill(_ count: Int, with value: UInt8, at offset: Int) {
    guard count > 0 else { return }
    unsafe _ = mutableRow(at: offset, count: count).initializeMemory(as: UInt8.self, repeating: value, count: count)
  }
}

extension ContiguousArray<UInt8> {
  /// Copies `count` bytes. Traps unless all are in bounds.
  mutating func copy(_ count: Int, from source: Span<UInt8>, at sourceOffset: Int, to offset: Int) {
    var span = mutableSpan
    span.copy(count, from: source, at: sourceOffset, to: offset)
  }

  /// Copies `count` bytes from `start` to `position`; the ranges may overlap. Traps unless both are in bounds.
  mutating func move(_ count: Int, from start: Int, to position: Int) {
    precondition(count > 0 && Swift.min(start, position) >= 0 && Swift.max(start, position) <= self.count - count)
    unsafe withUnsafeMutableBytes { bytes in
      unsafe (bytes.baseAddress! + position).copyMemory(from: bytes.baseAddress! + start, byteCount: count)
    }
  }
}
