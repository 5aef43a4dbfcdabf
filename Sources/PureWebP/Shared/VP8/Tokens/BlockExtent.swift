/// The part of a block that has coefficients, as two bits in `Macroblock.lumaExtents` and `chromaExtents`.
///
/// As in libwebp, it selects the inverse transform. The transforms differ in their results if they overflow.
enum BlockExtent {
  /// No coefficients. The block's memory is then meaningless.
  static let empty: UInt32 = 0
  /// Only the DC coefficient. Its quantized value is not 0.
  static let dcOnly: UInt32 = 1
  /// The last coefficient is the second or third in zigzag order: raster positions 0, 1 and 4 only.
  static let short: UInt32 = 2
  /// The last coefficient is the fourth or a later one in zigzag order.
  static let full: UInt32 = 3

  /// - Parameter length: the number of coefficients in zigzag order up to the last one, 1...16.
  @inline(__always)
  static func ofBlock(length: Int) -> UInt32 { (length > 1 ? 2 : 1) &+ (length > 3 ? 1 : 0) }
}
