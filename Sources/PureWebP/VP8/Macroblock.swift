/// A macroblock: its modes from the first partition, and the extents of its blocks from a token partition.
struct Macroblock {
  /// If true, luma is predicted subblock by subblock (B_PRED) and has no Y2 block.
  var usesSubblockModes = false
  /// The mode of the complete luma block. Meaningless with subblock modes.
  var lumaMode = MacroblockMode.dc
  var chromaMode = MacroblockMode.dc
  /// 0...3
  var segment: UInt8 = 0
  /// If true, no coefficients are coded: `lumaExtents` and `chromaExtents` are 0, and the stored coefficients are
  /// meaningless.
  var isSkipped = false
  /// The `SubblockMode` of each subblock: four bits each, in raster order from the lowest bits on.
  var subblockModes: UInt64 = 0
  /// If true, there is a Y2 block that has coefficients.
  var hasY2 = false
  /// The `BlockExtent` of each luma block: two bits each, in raster order from the lowest bits on.
  var lumaExtents: UInt32 = 0
  /// The same for the four blocks of U, then the four of V.
  var chromaExtents: UInt32 = 0
}

/// A row of macroblocks: its parsed modes and coefficients, and its pixels.
struct MacroblockRow {
  var macroblocks: ContiguousArray<Macroblock>
  var coefficients: QuantizedCoefficients
  /// The alpha of the image rows that this row finishes, a byte for each pixel without gaps, and `YUVRows.slack` more
  /// bytes. Empty for an opaque image.
  var alpha: ContiguousArray<UInt8> = []
  /// The pixels: see `Reconstruction`.
  var pixels: YUVRows

  /// - Parameter rowsHeldBack: see `RowSchedule`.
  init(columns: Int, rowsHeldBack: Int) {
    pixels = YUVRows(columns: columns, rowsAbove: rowsHeldBack)
    macroblocks = .init(repeating: Macroblock(), count: columns)
    coefficients = QuantizedCoefficients(columns: columns)
  }
}
