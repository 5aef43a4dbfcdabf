// This file declares a macroblock: its modes, and the context that it leaves for its neighbors. The coefficients of only one
// macroblock are stored at a time.

/// A macroblock as parsed from both kinds of partition. Before parsing, it is the macroblock above.
struct Macroblock {
  /// Luma is predicted subblock by subblock (B_PRED) and has no Y2 block.
  var usesSubblockModes = false
  /// The mode of the complete luma block. Meaningless with subblock modes.
  var lumaMode = MacroblockMode.dc
  var chromaMode = MacroblockMode.dc
  /// 0...3
  var segment: UInt8 = 0
  /// No coefficients are coded: `lumaExtents` and `chromaExtents` are 0, and the coefficients mean nothing.
  var isSkipped = false
  /// Four bits for each subblock, in raster order from the lowest bits on: its `SubblockMode`, or what its neighbors take
  /// for it.
  var subblockModes: UInt64 = 0
  /// There is a Y2 block, and it has coefficients.
  var hasY2 = false
  /// Two bits for each luma block, in raster order from the lowest bits on: a `BlockExtent`.
  var lumaExtents: UInt32 = 0
  /// The same for the four blocks of U, then the four of V.
  var chromaExtents: UInt32 = 0
  /// The blocks of its last row that have coefficients: see `NonzeroContext`.
  var nonzeroContext: UInt32 = 0

  /// The edges between subblocks are filtered, except in a macroblock without subblock modes and without a residual.
  /// Valid after the inverse WHT, which may turn a Y2 block into zeros.
  var hasInnerEdges: Bool { usesSubblockModes || lumaExtents | chromaExtents != 0 }
}

extension Macroblock {
  /// How many coefficients it has, which lie like this, every block in raster order:
  ///
  ///     0        16                  272      336      400
  ///     ├ Y2 ────┼ Y 0 … Y 15 ───────┼ U 0…3 ─┼ V 0…3 ─┤
  ///
  /// They are multiplied with their factors: 16 bits each, the sign extended. A block whose code is `empty` means nothing:
  /// what lies there may be left from earlier. One with any other code is written whole. In macroblocks with a Y2 block
  /// the DC places of luma get their values from it, and codes do not count them.
  static let coefficients = 400
  /// Where the blocks of luma, of U and of V are.
  static let luma = 16
  static let u = 272
  static let v = 336
}
