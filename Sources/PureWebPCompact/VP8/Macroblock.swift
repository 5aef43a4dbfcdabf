// A macroblock: its modes, and the context for parsing its neighbors. The coefficients of only one macroblock are
// stored at a time.

/// A macroblock: its modes from the first partition, and the extents of its blocks from a token partition. Before it
/// is parsed, the value describes the macroblock above it.
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
  /// Four bits for each subblock, in raster order from the lowest bits on: its `SubblockMode`, or the mode that the
  /// macroblock's mode implies for its neighbors.
  var subblockModes: UInt64 = 0
  /// If true, there is a Y2 block that has coefficients.
  var hasY2 = false
  /// Two bits for each luma block, in raster order from the lowest bits on: a `BlockExtent`.
  var lumaExtents: UInt32 = 0
  /// The same for the four blocks of U, then the four of V.
  var chromaExtents: UInt32 = 0
  /// The blocks of its last row that have coefficients: see `NonzeroContext`.
  var nonzeroContext: UInt32 = 0

  /// Indicates whether the edges between subblocks are filtered, because the macroblock has subblock modes or
  /// coefficients. Valid after the inverse WHT, which may turn a Y2 block into zeros.
  var hasInnerEdges: Bool { usesSubblockModes || lumaExtents | chromaExtents != 0 }
}

extension Macroblock {
  /// The number of coefficients of a macroblock. They have this layout, with each block in raster order:
  ///
  ///     0        16                  272      336      400
  ///     ├ Y2 ────┼ Y 0 … Y 15 ───────┼ U 0…3 ─┼ V 0…3 ─┤
  ///
  /// They are dequantized: products modulo 2¹⁶, with the sign extended to 32 bits. A block whose extent is `empty` may
  /// have values of an earlier macroblock. In macroblocks with a Y2 block, the DC of each luma block is an output of
  /// the inverse WHT, and the extents from the token partition do not include it.
  static let coefficients = 400
  /// The offsets of the blocks of luma, U and V.
  static let luma = 16
  static let u = 272
  static let v = 336
}
