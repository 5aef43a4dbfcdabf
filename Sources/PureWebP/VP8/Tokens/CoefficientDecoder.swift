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

/// The probabilities of the extra bits of dct_cat1 to dct_cat6 (RFC 6386, section 13.2). The first bit's probability is
/// in the lowest byte.
enum ExtraBits {
  static let category1: UInt64 = 0x9F
  static let category2: UInt64 = 0x91A5
  static let category3: UInt64 = 0x8C_94AD
  static let category4: UInt64 = 0x878C_9BB0
  static let category5: UInt64 = 0x82_868D_9DB4
  /// The probabilities of the last eight of the eleven bits.
  static let category6: UInt64 = 0x8182_858C_99B1_C4E6
  /// The probabilities of the first three of the eleven bits.
  @inline(__always)
  static var firstOfCategory6: [UInt8] { [254, 254, 243] }
}

// The coefficients of a row of macroblocks as they are coded, before dequantization.
//
// Nearly all of them fit in a byte. The others are stored in a separate list, which halves the memory of a row: with
// several threads, three batches of rows are in the pipeline at the same time.

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
