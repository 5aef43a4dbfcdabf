// Memory for the coefficients of one macroblock, in the arrangement that `Macroblock.coefficients` describes.

/// Calls `body` with memory on the stack, which is not initialized: a block is read only after it was written.
@inline(__always)
func withCoefficients(_ body: (inout MutableSpan<Int32>) -> Bool) -> Bool {
  unsafe withUnsafeTemporaryAllocation(of: Int32.self, capacity: Macroblock.coefficients) { memory in
    var coefficients = unsafe memory.mutableSpan
    return body(&coefficients)
  }
}

extension MutableSpan<Int32> {
  /// Stores sixteen zeros from `offset` on. Traps unless all are in bounds.
  mutating func clearBlock(at offset: Int) {
    // The bytes check the bounds; `unsafe` only because the numbers' bytes may be written.
    var bytes = unsafe mutableBytes
    bytes.storeBytes(of: .zero, toByteOffset: 4 * offset, as: SIMD16<Int32>.self)
  }
}
