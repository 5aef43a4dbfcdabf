// The coefficients of a block (RFC 6386, section 13): what reads them.

/// Decodes the blocks of one token partition, one after another.
protocol BlockReader {
  /// What a type of block is read with.
  associatedtype Tree: Sendable

  /// Whether a bool was asked for that the bytes do not hold: what has been decoded from then on means nothing.
  func isExhausted(_ bytes: Span<UInt8>) -> Bool

  /// Decodes a block and returns its length: the position after its last coefficient, or `first` if it has none.
  ///
  /// - Parameters:
  ///   - first: the position of the first coefficient: 1 in luma blocks whose DC comes from the Y2 block.
  ///   - context: how many of the neighbours to the left and above have coefficients.
  ///   - factors: what the coefficients are multiplied with, modulo 2¹⁶.
  ///   - coefficients: sixteen are written in raster order from `offset` on, unless the block has none.
  mutating func block(
    _ tree: Tree, first: Int, context: Int, _ bytes: Span<UInt8>, factors: SIMD16<Int16>,
    _ coefficients: inout MutableSpan<Int16>, at offset: Int
  ) -> Int
}

/// The probabilities of one type of block, as they are: for partitions that are too small for a `TokenTree` to pay.
struct TokenProbabilities {
  fileprivate let probabilities: ContiguousArray<UInt8>
  fileprivate let base: Int

  init(type: Int, _ probabilities: ContiguousArray<UInt8>) {
    self.probabilities = probabilities
    base = coefficientProbabilityIndex(type: type, band: 0, context: 0)
  }
}

/// coeff_tree (section 13.2), walked bool by bool.
extension BoolDecoder: BlockReader {
  mutating func block(
    _ tree: TokenProbabilities, first: Int, context: Int, _ bytes: Span<UInt8>, factors: SIMD16<Int16>,
    _ coefficients: inout MutableSpan<Int16>, at offset: Int
  ) -> Int {
    let odds = tree.probabilities.span
    var node = Self.node(tree, position: first, context: context)
    if !bool(odds[node], bytes) { return first }
    coefficients.storeVector(.zero, at: offset)
    var position = first
    while true {
      while !bool(odds[node &+ 1], bytes) {  // DCT_0, after which the block cannot end
        position &+= 1
        if position == 16 { return 16 }
        node = Self.node(tree, position: position, context: 0)
      }
      let isLarge = bool(odds[node &+ 2], bytes)
      let magnitude = isLarge ? largeMagnitude(odds, node, bytes) : 1
      let place = Int(zigzag[position])
      coefficients[offset &+ place] = Int16(truncatingIfNeeded: sign(magnitude, bytes)) &* factors[place == 0 ? 0 : 1]
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
