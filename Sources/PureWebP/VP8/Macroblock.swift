// What the two kinds of partition say of the macroblocks of a row: the result of parsing, the input of reconstruction.

/// How a macroblock, or its chroma, is predicted as a whole (RFC 6386, section 8.2).
enum MacroblockMode: UInt8 {
  case dc, vertical, horizontal, trueMotion
}

/// How a 4 × 4 subblock is predicted (section 11.2), in the RFC's order.
enum SubblockMode: UInt8 {
  case dc, trueMotion, vertical, horizontal, leftDown, rightDown, verticalRight, verticalLeft, horizontalDown,
    horizontalUp
}

struct Macroblock {
  /// Luma is predicted subblock by subblock (B_PRED) and has no Y2 block.
  var usesSubblockModes = false
  /// Of luma as a whole; meaningless with subblock modes.
  var lumaMode = MacroblockMode.dc
  var chromaMode = MacroblockMode.dc
  /// 0...3
  var segment: UInt8 = 0
  /// No coefficients are coded: `lumaCodes` and `chromaCodes` are 0, and the coefficients mean nothing.
  var isSkipped = false
  /// Four bits for each subblock, in raster order from the lowest bits on: its `SubblockMode`.
  var subblockModes: UInt64 = 0
  /// There is a Y2 block, and it has coefficients.
  var hasY2 = false
  /// Two bits for each luma block, in raster order from the lowest bits on: a `CoefficientCode`.
  var lumaCodes: UInt32 = 0
  /// The same for the four blocks of U, then the four of V.
  var chromaCodes: UInt32 = 0
}

/// How much of a block is coded, which decides how it is transformed (behaviour of libwebp on overflow depends on it).
/// The numbers in `Macroblock.lumaCodes` and `chromaCodes`.
enum CoefficientCode {
  /// Nothing. The block's 16 coefficients mean nothing.
  static let empty: UInt32 = 0
  /// The DC coefficient alone, and it is not 0.
  static let dcOnly: UInt32 = 1
  /// A length of 2 or 3: raster positions 0, 1 and 4 only.
  static let short: UInt32 = 2
  static let full: UInt32 = 3

  /// - Parameter length: 1...16
  @inline(__always)
  static func ofBlock(length: Int) -> UInt32 { (length > 1 ? 2 : 1) &+ (length > 3 ? 1 : 0) }
}

/// A row of macroblocks: what has been parsed of it, and what it has become.
///
///     coefficients of a macroblock, as they are coded (not dequantised), each block in raster order:
///
///     0        16                  256      320      384      400
///     ├ Y 0 ───┼ Y 1 … Y 15 ───────┼ U 0…3 ─┼ V 0…3 ─┼ Y2 ────┤
///
/// A block whose code is `empty` means nothing: what lies there may be left from earlier. One with any other code is
/// written whole. In macroblocks with a Y2 block the DC places of luma get their values from it, dequantised, and codes
/// do not count them.
struct MacroblockRow {
  static let coefficientsPerMacroblock = 400
  static let y2Offset = 384

  var macroblocks: ContiguousArray<Macroblock>
  var coefficients: ContiguousArray<Int16>
  /// The alpha of the rows of the picture that this one finishes, a byte a pixel without gaps, and `YUVRows.slack`
  /// bytes more. Empty for an opaque picture.
  var alpha: ContiguousArray<UInt8> = []
  /// The pixels: see `Reconstruction`.
  var pixels: YUVRows

  /// - Parameter rowsHeldBack: of `RowSchedule`.
  init(columns: Int, rowsHeldBack: Int) {
    pixels = YUVRows(columns: columns, rowsAbove: rowsHeldBack)
    macroblocks = .init(repeating: Macroblock(), count: columns)
    coefficients = .init(repeating: 0, count: columns * Self.coefficientsPerMacroblock)
  }
}
