// The coefficients of a macroblock's blocks (RFC 6386, section 13), by coeff_tree, bool by bool.

/// The probabilities of one type of block, as they are: for partitions that no `TokenTree` serves (see `TokenParser`).
struct TokenProbabilities {
  fileprivate let probabilities: ContiguousArray<UInt8>
  /// Where those of the first position are, in context 0.
  fileprivate let base: Int
  fileprivate let first: Int

  init(type: Int, _ probabilities: ContiguousArray<UInt8>) {
    self.probabilities = probabilities
    base = coefficientProbabilityIndex(type: type, band: 0, context: 0)
    first = firstPosition(type: type)
  }

  /// Where the eleven of a position and a context are.
  @inline(__always)
  fileprivate func node(position: Int, context: Int) -> Int {
    base &+ Int(firstNodes[position]) &+ context &* 11
  }
}

/// coeff_tree (section 13.2), walked bool by bool.
struct TreeWalker<Bools: BoolReader>: BlockReader {
  private var bools: Bools

  init(_ bools: Bools) {
    self.bools = bools
  }

  @inline(__always)
  func isExhausted(_ bytes: Span<UInt8>) -> Bool { bools.isExhausted(bytes) }

  @inline(__always)
  mutating func read(
    _ group: BlockGroup, _ tree: TokenProbabilities, above: UInt32, left: UInt32, _ bytes: Span<UInt8>,
    _ levels: inout MutableSpan<Int8>, at offset: Int, _ large: inout LargeLevels
  ) -> UInt32 {
    switch group {
    case .y2: return readPlane(1, tree, above, left, bytes, &levels, offset, &large)
    case .luma: return readPlane(4, tree, above, left, bytes, &levels, offset, &large)
    case .chroma:
      let u = readPlane(2, tree, above & 3, left & 3, bytes, &levels, offset, &large)
      return u | readPlane(2, tree, above >> 2, left >> 2, bytes, &levels, offset &+ 64, &large) << 8
    }
  }

  /// The codes of a plane's blocks, `size` · `size` of them.
  @inline(never)
  private mutating func readPlane(
    _ size: Int, _ tree: TokenProbabilities, _ above: UInt32, _ left: UInt32, _ bytes: Span<UInt8>,
    _ levels: inout MutableSpan<Int8>, _ offset: Int, _ large: inout LargeLevels
  ) -> UInt32 {
    var reader = self  // a local one stays in registers
    defer { self = reader }
    var codes: UInt32 = 0
    var place = offset
    var above = above
    var left = left
    levels.storeVectors(size &* size, at: offset) { _ in .zero }
    for _ in 0..<size {
      // The bits move by one at a time: the next block's are the lowest.
      var isLeftCoded = left & 1
      left >>= 1
      for _ in 0..<size {
        codes >>= 2
        let context = Int(truncatingIfNeeded: isLeftCoded &+ above & 1)
        above >>= 1
        if reader.startsBlock(tree, context: context, bytes) {
          isLeftCoded = 1
          above |= 1 << UInt32(size &- 1)
          let length = reader.finishBlock(tree, context: context, bytes, &levels, at: place, &large)
          codes |= CoefficientCode.ofBlock(length: length) << 30
        } else {
          isLeftCoded = 0
        }
        place &+= 16
      }
    }
    return codes >> UInt32(32 &- 2 &* size &* size)
  }

  /// Decodes a block's first bool: whether it has any coefficients.
  ///
  /// - Parameter context: how many of the neighbours to the left and above have coefficients.
  @inline(__always)
  private mutating func startsBlock(_ tree: TokenProbabilities, context: Int, _ bytes: Span<UInt8>) -> Bool {
    bools.bool(tree.probabilities[tree.node(position: tree.first, context: context)], bytes)
  }

  /// Decodes the rest of a block that has coefficients.
  ///
  /// - Returns: the block's length: the position after its last coefficient.
  @inline(__always)
  private mutating func finishBlock(
    _ tree: TokenProbabilities, context: Int, _ bytes: Span<UInt8>, _ levels: inout MutableSpan<Int8>, at offset: Int,
    _ large: inout LargeLevels
  ) -> Int {
    let odds = tree.probabilities.span
    var position = tree.first
    var node = tree.node(position: position, context: context)
    while true {
      while !bools.bool(odds[node &+ 1], bytes) {  // DCT_0, after which the block cannot end
        position &+= 1
        if position == 16 { return 16 }
        node = tree.node(position: position, context: 0)
      }
      let isLarge = bools.bool(odds[node &+ 2], bytes)
      let magnitude = isLarge ? largeMagnitude(odds, node, bytes) : 1
      let place = Int(zigzag[position])
      let level = large.keep(Int(bools.sign(magnitude, bytes)), at: offset &+ place)
      levels.store(level, at: place, ofBlockAt: offset)
      position &+= 1
      if position == 16 { return 16 }
      node = tree.node(position: position, context: isLarge ? 2 : 1)
      if !bools.bool(odds[node], bytes) { return position }
    }
  }

  /// The rest of the tree, for magnitudes from 2 on. Not a call, which would have the decoder leave the registers.
  @inline(__always)
  private mutating func largeMagnitude(_ odds: Span<UInt8>, _ node: Int, _ bytes: Span<UInt8>) -> Int32 {
    if !bools.bool(odds[node &+ 3], bytes) {
      if !bools.bool(odds[node &+ 4], bytes) { return 2 }
      return bools.bool(odds[node &+ 5], bytes) ? 4 : 3
    }
    // dct_cat1 to dct_cat6: the smallest magnitude, and the extra bits.
    let smallest: Int32
    var extra: UInt64
    var bits: Int32 = 0
    if !bools.bool(odds[node &+ 6], bytes) {
      (smallest, extra) = bools.bool(odds[node &+ 7], bytes) ? (7, ExtraBits.category2) : (5, ExtraBits.category1)
    } else if !bools.bool(odds[node &+ 8], bytes) {
      (smallest, extra) =
        bools.bool(odds[node &+ 9], bytes) ? (19, ExtraBits.category4) : (11, ExtraBits.category3)
    } else if !bools.bool(odds[node &+ 10], bytes) {
      (smallest, extra) = (35, ExtraBits.category5)
    } else {
      for probability in ExtraBits.firstOfCategory6 { bits = bits << 1 | (bools.bool(probability, bytes) ? 1 : 0) }
      (smallest, extra) = (67, ExtraBits.category6)
    }
    repeat {
      bits = bits << 1 | (bools.bool(UInt8(truncatingIfNeeded: extra), bytes) ? 1 : 0)
      extra >>= 8
    } while extra != 0
    return smallest &+ bits
  }
}

/// By position: where the probabilities of its band start among those of a type, 33 to a band (`coefficientBands`).
let firstNodes: [UInt8] = [0, 33, 66, 99, 198, 132, 165, 198, 198, 198, 198, 198, 198, 198, 198, 231]
