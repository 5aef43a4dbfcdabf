/// The blocks of a macroblock that are coded one after another with the same probabilities (RFC 6386, section 13).
enum CoefficientPlane {
  /// One block.
  case y2
  /// Four rows of four blocks.
  case luma
  /// Two rows of two blocks for U, then as many for V.
  case chroma

  /// The number of blocks.
  @inline(__always)
  var count: Int {
    switch self {
    case .y2: 1
    case .luma: 16
    case .chroma: 8
    }
  }
}

/// Decodes the coefficients of one token partition.
protocol CoefficientDecoder {
  /// The tables for one type of block.
  associatedtype Tables: Sendable

  /// The offset of the next byte to read.
  var position: Int { get set }

  /// Returns whether a bool was read past the end of the bytes. If so, the last results are meaningless.
  func isExhausted(_ bytes: Span<UInt8>) -> Bool

  /// Decodes the blocks of a plane.
  ///
  /// - Parameters:
  ///   - context: the blocks above and to the left that have coefficients. Bit n is column or row n. V begins with bit
  ///     2.
  ///   - coefficients: the bytes of `QuantizedCoefficients`, sixteen for each block from `offset` on, in raster order.
  ///     Empty blocks get zeros.
  ///   - overflow: receives the coefficients that do not fit in a byte.
  /// - Returns: the blocks' extents, as in `Macroblock.lumaExtents` and `chromaExtents`.
  mutating func decode(
    _ plane: CoefficientPlane, _ tables: Tables, _ context: NonzeroContext, _ bytes: Span<UInt8>,
    _ coefficients: inout MutableSpan<Int8>, at offset: Int, _ overflow: inout CoefficientOverflow
  ) -> UInt32
}
