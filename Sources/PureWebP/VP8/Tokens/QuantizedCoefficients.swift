// The coefficients of a row of macroblocks as they are coded, before dequantization.
//
// Nearly all of them fit in a byte. The others are stored in a separate list, which halves the memory of a row: with
// several threads, three batches of rows are in the pipeline at the same time.

/// The quantized coefficients of a row of macroblocks. Each macroblock has this layout, with every block in raster
/// order:
///
///     0        16                  272      336      400
///     ├ Y2 ────┼ Y 0 … Y 15 ───────┼ U 0…3 ─┼ V 0…3 ─┤
///
/// The coefficients of an empty block are zeros, with one exception: if all luma blocks or all chroma blocks of a
/// macroblock are empty, their bytes may have coefficients of an earlier row. In macroblocks with a Y2 block, the DC of
/// each luma block is an output of the inverse WHT, and the extents do not include it.
struct QuantizedCoefficients {
  static let perMacroblock = 400
  /// The offsets of the blocks of luma, U and V in a macroblock.
  static let luma = 16
  static let u = 272
  static let v = 336

  /// The lowest eight bits of each coefficient.
  var bytes: ContiguousArray<Int8>
  var overflow = CoefficientOverflow()

  init(columns: Int) {
    bytes = .init(repeating: 0, count: columns * Self.perMacroblock)
  }
}

/// The coefficients of a row that are less than −128 or more than 127.
struct CoefficientOverflow {
  struct Coefficient {
    /// The index among the coefficients of the row.
    let index: Int32
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
