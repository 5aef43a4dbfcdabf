// The coefficients of a block (RFC 6386, section 13): what reads them.

/// Decodes the blocks of one token partition, one after another.
protocol BlockReader {
  /// What a type of block is read with.
  associatedtype Tree: Sendable

  /// Whether a bool was asked for that the bytes do not hold: what has been decoded from then on means nothing.
  func isExhausted(_ bytes: Span<UInt8>) -> Bool

  /// Decodes a block's first bool: whether it has any coefficients.
  ///
  /// - Parameter context: how many of the neighbours to the left and above have coefficients.
  mutating func startsBlock(_ tree: Tree, context: Int, _ bytes: Span<UInt8>) -> Bool

  /// Decodes the rest of a block that has coefficients.
  ///
  /// - Parameter levels: sixteen are written from `offset` on: the coefficients in raster order, not multiplied with
  ///   their factors.
  /// - Returns: the block's length: the position after its last coefficient.
  mutating func finishBlock(
    _ tree: Tree, context: Int, _ bytes: Span<UInt8>, _ levels: inout MutableSpan<Int16>, at offset: Int
  ) -> Int
}

/// The probabilities of one type of block, as they are: for partitions that are too small for a `TokenTree` to pay.
struct TokenProbabilities {
  fileprivate let probabilities: ContiguousArray<UInt8>
  fileprivate let base: Int
  fileprivate let first: Int

  init(type: Int, _ probabilities: ContiguousArray<UInt8>) {
    self.probabilities = probabilities
    base = coefficientProbabilityIndex(type: type, band: 0, context: 0)
    first = firstPosition(type: type)
  }
}

/// coeff_tree (section 13.2), walked bool by bool.
extension BoolDecoder: BlockReader {
  mutating func startsBlock(_ tree: TokenProbabilities, context: Int, _ bytes: Span<UInt8>) -> Bool {
    bool(tree.probabilities[Self.node(tree, position: tree.first, context: context)], bytes)
  }

  mutating func finishBlock(
    _ tree: TokenProbabilities, context: Int, _ bytes: Span<UInt8>, _ levels: inout MutableSpan<Int16>, at offset: Int
  ) -> Int {
    let odds = tree.probabilities.span
    var position = tree.first
    var node = Self.node(tree, position: position, context: context)
    levels.storeVector(.zero, at: offset)
    while true {
      while !bool(odds[node &+ 1], bytes) {  // DCT_0, after which the block cannot end
        position &+= 1
        if position == 16 { return 16 }
        node = Self.node(tree, position: position, context: 0)
      }
      let isLarge = bool(odds[node &+ 2], bytes)
      let magnitude = isLarge ? largeMagnitude(odds, node, bytes) : 1
      levels.store(
        Int16(truncatingIfNeeded: sign(magnitude, bytes)), at: Int(zigzag[position]), ofBlockAt: offset)
      position &+= 1
      if position == 16 { return 16 }
      node = Self.node(tree, position: position, context: isLarge ? 2 : 1)
      if !bool(odds[node], bytes) { return position }
    }
  }

  @inline(__always)
  private static func node(_ tree: TokenProbabilities, position: Int, context: Int) -> Int {
    tree.base &+ (Int(coefficientBands[position]) &* 3 &+ context) &* 11
  }

  /// The rest of the tree, for magnitudes from 2 on.
  private mutating func largeMagnitude(_ odds: Span<UInt8>, _ node: Int, _ bytes: Span<UInt8>) -> Int32 {
    if !bool(odds[node &+ 3], bytes) {
      if !bool(odds[node &+ 4], bytes) { return 2 }
      return bool(odds[node &+ 5], bytes) ? 4 : 3
    }
    if !bool(odds[node &+ 6], bytes) {
      if !bool(odds[node &+ 7], bytes) { return extraBits(5, 159, bytes) }  // dct_cat1
      return extraBits(7, 165 | 145 << 8, bytes)
    }
    if !bool(odds[node &+ 8], bytes) {
      return bool(odds[node &+ 9], bytes) ? extraBits(19, 0x878C_9BB0, bytes) : extraBits(11, 0x8C_94AD, bytes)
    }
    if !bool(odds[node &+ 10], bytes) { return extraBits(35, 0x82_868D_9DB4, bytes) }
    var high: Int32 = 0
    for probability: UInt8 in [254, 254, 243] { high = high << 1 | (bool(probability, bytes) ? 1 : 0) }
    return extraBits(67, 0x8182_858C_99B1_C4E6, bytes) &+ high << 8
  }

  /// - Parameter odds: the probabilities of the extra bits, the first one lowest.
  private mutating func extraBits(_ base: Int32, _ odds: UInt64, _ bytes: Span<UInt8>) -> Int32 {
    var odds = odds
    var bits: Int32 = 0
    repeat {
      bits = bits << 1 | (bool(UInt8(truncatingIfNeeded: odds), bytes) ? 1 : 0)
      odds >>= 8
    } while odds != 0
    return base &+ bits
  }
}
