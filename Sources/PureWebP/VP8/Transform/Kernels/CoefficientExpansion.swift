// Expands the quantized coefficients of a macroblock from a byte each to the 16 bits that the transforms work on.
//
// Unsafe code: Loads are within the quantized coefficients of the macroblock's column, whose number
// `MacroblockRowReconstruction` has checked. Stores are within the 400 coefficients; an overflow coefficient is
// stored after a comparison and a precondition.
// Plain formula: `PlainTokens` in Tests/PureWebPTests/TokenTests.swift.

internal import WebPFormat

extension QuantizedCoefficients {
  /// Calls `body` with memory for the coefficients of a macroblock as 16-bit integers, in the layout of
  /// `QuantizedCoefficients`.
  @inline(__always)
  static func withCoefficients(_ body: (UnsafeMutablePointer<Int16>) -> Void) {
    // Aligned to 16 bytes and smaller than 1024 bytes, so that it is on the stack.
    unsafe withUnsafeTemporaryAllocation(byteCount: 2 &* Macroblock.coefficientCount, alignment: 16) { memory in
      unsafe body(memory.bindMemory(to: Int16.self).baseAddress.unsafelyUnwrapped)
    }
  }

  /// Copies the coefficients of the planes that have any. The rest of `coefficients` is not changed.
  ///
  /// - Parameters:
  ///   - column: the index of the macroblock, in bounds.
  ///   - overflowCount: the number of coefficients that do not fit in a byte (see `QuantizedCoefficients`) in the
  ///     macroblocks before this one. On return, it includes this macroblock.
  /// - Returns: true if all coefficients of this macroblock fit in a byte.
  @inline(__always)
  func expand(
    _ macroblock: Macroblock, at column: Int, to coefficients: UnsafeMutablePointer<Int16>,
    after overflowCount: inout Int
  ) -> Bool {
    let start = column &* Macroblock.coefficientCount
    if macroblock.hasY2 { unsafe expand(start, 0, count: 1, to: coefficients) }
    if macroblock.lumaExtents != 0 { unsafe expand(start, Macroblock.luma, count: 16, to: coefficients) }
    if macroblock.chromaExtents != 0 { unsafe expand(start, Macroblock.u, count: 8, to: coefficients) }
    let countBefore = overflowCount
    while overflowCount < overflow.coefficients.count {
      let next = overflow.coefficients[overflowCount]
      let position = Int(next.index) &- start
      guard position < Macroblock.coefficientCount else { break }
      precondition(position >= 0)
      unsafe coefficients[position] = next.value
      overflowCount &+= 1
    }
    return overflowCount == countBefore
  }

  /// Copies `count` blocks of a macroblock, from `position` on.
  @inline(never)
  private func expand(_ start: Int, _ position: Int, count: Int, to coefficients: UnsafeMutablePointer<Int16>) {
    unsafe bytes.withUnsafeBytes { bytes in
      for position in stride(from: position, to: position &+ 16 &* count, by: 16) {
        let quantized = unsafe bytes.loadUnaligned(fromByteOffset: start &+ position, as: SIMD16<Int8>.self)
        unsafe UnsafeMutableRawPointer(coefficients + position).storeBytes(
          of: SIMD16<Int16>(truncatingIfNeeded: quantized), as: SIMD16<Int16>.self)
      }
    }
  }
}
