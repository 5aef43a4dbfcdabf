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
  /// No coefficients are coded: `lumaCodes` and `chromaCodes` are 0, and the levels mean nothing.
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
  /// Nothing. The block's 16 levels mean nothing.
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
struct MacroblockRow {
  var macroblocks: ContiguousArray<Macroblock>
  var levels: CodedLevels
  /// The alpha of the rows of the picture that this one finishes, a byte a pixel without gaps, and `YUVRows.slack`
  /// bytes more. Empty for an opaque picture.
  var alpha: ContiguousArray<UInt8> = []
  /// The pixels: see `Reconstruction`.
  var pixels: YUVRows

  /// - Parameter rowsHeldBack: of `RowSchedule`.
  init(columns: Int, rowsHeldBack: Int) {
    pixels = YUVRows(columns: columns, rowsAbove: rowsHeldBack)
    macroblocks = .init(repeating: Macroblock(), count: columns)
    levels = CodedLevels(columns: columns)
  }
}
