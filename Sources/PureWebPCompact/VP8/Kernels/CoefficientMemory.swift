// Memory for the coefficients of one macroblock, in the layout that `Macroblock` defines.
//
// Unsafe code: Memory of a constant size on the stack, valid during the closure.
// Plain formula: `PlainTokens` in Tests/PureWebPTests/TokenTests.swift.

internal import WebPFormat

/// Calls `body` with memory on the stack. It is not initialized, so a block must be written before it is read.
@inline(__always)
func withCoefficients(_ body: (inout MutableSpan<Int32>) -> Bool) -> Bool {
  unsafe withUnsafeTemporaryAllocation(of: Int32.self, capacity: Macroblock.coefficientCount) { memory in
    var coefficients = unsafe memory.mutableSpan
    return body(&coefficients)
  }
}

extension MutableSpan<Int32> {
  /// Stores sixteen zeros from `offset` on. Traps unless all are in bounds.
  mutating func clearBlock(at offset: Int) {
    // `storeBytes` checks the bounds. `unsafe` is required only to write the bytes of numbers.
    var bytes = unsafe mutableBytes
    bytes.storeBytes(of: .zero, toByteOffset: 4 * offset, as: SIMD16<Int32>.self)
  }
}
