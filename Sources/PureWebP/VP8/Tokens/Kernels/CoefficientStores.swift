// Stores of quantized coefficients: several in one operation, or with bounds checks that the compiler can merge.

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
