/// A macroblock: its modes from the first partition, and the extents of its blocks from a token partition.
public struct Macroblock: Sendable {
  /// If true, luma is predicted subblock by subblock (B_PRED) and has no Y2 block.
  public var usesSubblockModes = false
  /// The mode of the complete luma block. Meaningless with subblock modes.
  public var lumaMode = MacroblockMode.dc
  public var chromaMode = MacroblockMode.dc
  /// 0...3
  public var segment: UInt8 = 0
  /// If true, no coefficients are coded: `lumaExtents` and `chromaExtents` are 0, and the stored coefficients are
  /// meaningless.
  public var isSkipped = false
  /// The `SubblockMode` of each subblock, or the mode that its neighbors assume: four bits each, in raster order from
  /// the lowest bits on.
  public var subblockModes: UInt64 = 0
  /// If true, there is a Y2 block that has coefficients.
  public var hasY2 = false
  /// The `BlockExtent` of each luma block: two bits each, in raster order from the lowest bits on.
  public var lumaExtents: UInt32 = 0
  /// The same for the four blocks of U, then the four of V.
  public var chromaExtents: UInt32 = 0

  public init() {}

  /// Indicates whether the edges between subblocks are filtered, because the macroblock has subblock modes or
  /// coefficients.
  ///
  /// Valid after the inverse WHT, which may turn a Y2 block into zeros.
  @inlinable @inline(__always)
  public var filtersSubblockEdges: Bool { usesSubblockModes || lumaExtents | chromaExtents != 0 }
}

/// The layout of the coefficients of a macroblock, with every block in raster order:
///
///     0        16                  272      336      400
///     ├ Y2 ────┼ Y 0 … Y 15 ───────┼ U 0…3 ─┼ V 0…3 ─┤
///
/// In macroblocks with a Y2 block, the DC of each luma block is an output of the inverse WHT, and the extents do not
/// include it.
extension Macroblock {
  public static let coefficientCount = 400
  /// The offsets of the blocks of luma, U and V.
  public static let luma = 16
  public static let u = 272
  public static let v = 336
}

/// The prediction mode of a complete luma or chroma block (RFC 6386, section 8.2).
public enum MacroblockMode: UInt8, Sendable {
  case dc, vertical, horizontal, trueMotion
}

/// The prediction mode of a 4 × 4 subblock (section 11.2), in the order of the RFC.
public enum SubblockMode: UInt8, Sendable {
  case dc, trueMotion, vertical, horizontal, leftDown, rightDown, verticalRight, verticalLeft, horizontalDown,
    horizontalUp
}

/// The part of a block that has coefficients, as two bits in `Macroblock.lumaExtents` and `chromaExtents`.
///
/// As in libwebp, it selects the inverse transform. The transforms differ in their results if they overflow.
public enum BlockExtent: Sendable {
  /// No coefficients. The block's memory is then meaningless.
  public static let empty: UInt32 = 0
  /// Only the DC coefficient. Its quantized value is not 0.
  public static let dcOnly: UInt32 = 1
  /// The last coefficient is the second or third in zigzag order: raster positions 0, 1 and 4 only.
  public static let short: UInt32 = 2
  /// The last coefficient is the fourth or a later one in zigzag order.
  public static let full: UInt32 = 3

  /// - Parameter length: the number of coefficients in zigzag order up to the last one, 1...16.
  @inlinable @inline(__always)
  public static func ofBlock(length: Int) -> UInt32 { (length > 1 ? 2 : 1) &+ (length > 3 ? 1 : 0) }
}
