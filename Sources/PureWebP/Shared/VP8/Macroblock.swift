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
  /// The `SubblockMode` of each subblock, or the mode that its neighbors assume: four bits each, in raster order from
  /// the lowest bits on.
  var subblockModes: UInt64 = 0
  /// If true, there is a Y2 block that has coefficients.
  var hasY2 = false
  /// The `BlockExtent` of each luma block: two bits each, in raster order from the lowest bits on.
  var lumaExtents: UInt32 = 0
  /// The same for the four blocks of U, then the four of V.
  var chromaExtents: UInt32 = 0

  /// Indicates whether the edges between subblocks are filtered, because the macroblock has subblock modes or
  /// coefficients.
  ///
  /// Valid after the inverse WHT, which may turn a Y2 block into zeros.
  @inline(__always)
  var filtersSubblockEdges: Bool { usesSubblockModes || lumaExtents | chromaExtents != 0 }
}

/// The layout of the coefficients of a macroblock, with every block in raster order:
///
///     0        16                  272      336      400
///     ├ Y2 ────┼ Y 0 … Y 15 ───────┼ U 0…3 ─┼ V 0…3 ─┤
///
/// In macroblocks with a Y2 block, the DC of each luma block is an output of the inverse WHT, and the extents do not
/// include it.
extension Macroblock {
  static let coefficientCount = 400
  /// The offsets of the blocks of luma, U and V.
  static let luma = 16
  static let u = 272
  static let v = 336
}
