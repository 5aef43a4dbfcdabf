// Copies of rows of samples, bounds checked once.

extension ContiguousArray<UInt8> {
  /// Copies `count` bytes of another array, from `start` on, to `position`. Traps unless both ranges are in bounds.
  mutating func copy(_ count: Int, from source: Self, at start: Int, to position: Int) {
    precondition(count > 0 && start >= 0 && start <= source.count - count)
    precondition(position >= 0 && position <= self.count - count)
    unsafe withUnsafeMutableBytes { target in
      unsafe source.withUnsafeBytes { source in
        unsafe (target.baseAddress! + position).copyMemory(from: source.baseAddress! + start, byteCount: count)
      }
    }
  }

  /// Copies `count` bytes from `start` to `position`; the ranges may overlap. Traps unless both are in bounds.
  mutating func move(_ count: Int, from start: Int, to position: Int) {
    precondition(count > 0 && Swift.min(start, position) >= 0 && Swift.max(start, position) <= self.count - count)
    unsafe withUnsafeMutableBytes { bytes in
      unsafe (bytes.baseAddress! + position).copyMemory(from: bytes.baseAddress! + start, byteCount: count)
    }
  }
}
