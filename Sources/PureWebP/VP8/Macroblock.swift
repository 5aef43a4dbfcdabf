// What the two kinds of partition say of the macroblocks of a row: the result of parsing, the input of reconstruction.

struct Macroblock {
  /// Luma is predicted subblock by subblock (B_PRED) and has no Y2 block.
  var usesSubblockModes = false
  /// Of luma as a whole; meaningless with subblock modes.
  var lumaMode = MacroblockMode.dc
  var chromaMode = MacroblockMode.dc
  /// 0...3
  var segment: UInt8 = 0
  /// No coefficients are coded: `lumaExtents` and `chromaExtents` are 0, and the levels mean nothing.
  var isSkipped = false
  /// Four bits for each subblock, in raster order from the lowest bits on: its `SubblockMode`.
  var subblockModes: UInt64 = 0
  /// There is a Y2 block, and it has coefficients.
  var hasY2 = false
  /// Two bits for each luma block, in raster order from the lowest bits on: a `BlockExtent`.
  var lumaExtents: UInt32 = 0
  /// The same for the four blocks of U, then the four of V.
  var chromaExtents: UInt32 = 0
}

/// A row of macroblocks: what has been parsed of it, and what it has become.
struct MacroblockRow {
  var macroblocks: ContiguousArray<Macroblock>
  var coefficients: QuantizedCoefficients
  /// The alpha of the rows of the picture that this one finishes, a byte a pixel without gaps, and `YUVRows.slack`
  /// bytes more. Empty for an opaque picture.
  var alpha: ContiguousArray<UInt8> = []
  /// The pixels: see `Reconstruction`.
  var pixels: YUVRows

  /// - Parameter rowsHeldBack: of `RowSchedule`.
  init(columns: Int, rowsHeldBack: Int) {
    pixels = YUVRows(columns: columns, rowsAbove: rowsHeldBack)
    macroblocks = .init(repeating: Macroblock(), count: columns)
    coefficients = QuantizedCoefficients(columns: columns)
  }
}
