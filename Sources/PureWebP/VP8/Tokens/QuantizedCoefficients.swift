// The coefficients of a row of macroblocks as they are coded, before dequantization.
//
// Nearly all of them fit in a byte. The others are stored in a separate list, which halves the memory of a row: with
// several threads, three batches of rows are in the pipeline at the same time.

internal import WebPFormat

/// The quantized coefficients of a row of macroblocks, each in the layout that `Macroblock` defines.
///
/// The coefficients of an empty block are zeros, with one exception: if all luma blocks or all chroma blocks of a
/// macroblock are empty, their bytes may have coefficients of an earlier row.
struct QuantizedCoefficients {
  /// The lowest eight bits of each coefficient.
  var bytes: ContiguousArray<Int8>
  var overflow = CoefficientOverflow()

  init(columns: Int) {
    bytes = .init(filledWith: 0, count: columns * Macroblock.coefficientCount)
  }
}

/// The coefficients of a row that are less than −128 or more than 127.
struct CoefficientOverflow {
  struct Coefficient {
    /// The index among the coefficients of the row.
    let index: Int32
    /// −2114...2114 (RFC 6386, section 13.2).
    let value: Int16
  }

  /// The coefficients, in the order of their macroblocks.
  private(set) var coefficients: ContiguousArray<Coefficient> = []

  /// Adds a coefficient if it does not fit in a byte.
  ///
  /// - Returns: its lowest eight bits.
  @inline(__always)
  mutating func split(_ value: Int, at index: Int) -> Int8 {
    let byte = Int8(truncatingIfNeeded: value)
    if Int(byte) != value { append(value, at: index) }
    return byte
  }

  @inline(never)
  private mutating func append(_ value: Int, at index: Int) {
    coefficients.append(
      Coefficient(index: Int32(truncatingIfNeeded: index), value: Int16(truncatingIfNeeded: value)))
  }

  /// Removes the coefficients from `index` on.
  mutating func removeAll(from index: Int) {
    while let last = coefficients.last, last.index >= index { coefficients.removeLast() }
  }
}
