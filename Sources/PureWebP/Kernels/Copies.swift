// Copies of rows of samples within an array, bounds checked once.

extension ContiguousArray<UInt8> {
  /// Copies `count` bytes from `start` to `position`; the ranges may overlap. Traps unless both are in bounds.
  mutating func move(_ count: Int, from start: Int, to position: Int) {
    precondition(count > 0 && Swift.min(start, position) >= 0 && Swift.max(start, position) <= self.count - count)
    unsafe withUnsafeMutableBytes { bytes in
      unsafe (bytes.baseAddress! + position).copyMemory(from: bytes.baseAddress! + start, byteCount: count)
    }
  }
}
