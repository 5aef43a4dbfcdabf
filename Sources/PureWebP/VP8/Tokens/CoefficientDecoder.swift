internal import WebPFormat

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
  associatedtype Bools: BoolReader

  /// The position in the partition. If it is exhausted, the last results are meaningless.
  var bools: Bools { get }

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

/// The tables that the four types of block are decoded with (RFC 6386, section 13.3).
struct TablesByBlockType<Tables: Sendable>: Sendable {
  let y1WithoutDC: Tables
  let y2: Tables
  let uv: Tables
  let y1: Tables

  init(_ tables: (_ type: Int) -> Tables) {
    y1WithoutDC = tables(0)
    y2 = tables(1)
    uv = tables(2)
    y1 = tables(3)
  }
}
