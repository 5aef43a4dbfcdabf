// The decoding of coefficients by coeff_tree, bool by bool (RFC 6386, section 13.2).

internal import WebPFormat

/// The probabilities of one type of block, for partitions that are decoded without a `TokenStateTable`.
struct TokenProbabilities {
  fileprivate let probabilities: ContiguousArray<UInt8>
  /// The index of the probabilities of position 0 in context 0.
  fileprivate let base: Int
  /// The first coded position.
  fileprivate let first: Int

  init(type: Int, _ probabilities: ContiguousArray<UInt8>) {
    self.probabilities = probabilities
    base = coefficientProbabilityIndex(type: type, position: 0, context: 0)
    first = firstPosition(type: type)
  }

  /// The index of the eleven probabilities of a position and a context.
  @inline(__always)
  fileprivate func node(position: Int, context: Int) -> Int {
    base &+ Int(firstNodes[position]) &+ context &* 11
  }
}

/// Decodes coefficients bool by bool, with a branch for each node of coeff_tree.
struct TokenTreeDecoder<Bools: BoolReader>: CoefficientDecoder {
  private(set) var bools: Bools

  @inline(__always)
  mutating func decode(
    _ plane: CoefficientPlane, _ tables: TokenProbabilities, _ context: NonzeroContext, _ bytes: Span<UInt8>,
    _ coefficients: inout MutableSpan<Int8>, at offset: Int, _ overflow: inout CoefficientOverflow
  ) -> UInt32 {
    switch plane {
    case .y2: return decodeSquare(1, tables, context, bytes, &coefficients, offset, &overflow)
    case .luma: return decodeSquare(4, tables, context, bytes, &coefficients, offset, &overflow)
    case .chroma:
      let u = NonzeroContext(above: context.above & 3, left: context.left & 3)
      let v = NonzeroContext(above: context.above >> 2, left: context.left >> 2)
      let extents = decodeSquare(2, tables, u, bytes, &coefficients, offset, &overflow)
      return extents | decodeSquare(2, tables, v, bytes, &coefficients, offset &+ 64, &overflow) << 8
    }
  }

  /// Decodes `size` · `size` blocks, and returns their extents.
  @inline(never)
  private mutating func decodeSquare(
    _ size: Int, _ tables: TokenProbabilities, _ context: NonzeroContext, _ bytes: Span<UInt8>,
    _ coefficients: inout MutableSpan<Int8>, _ offset: Int, _ overflow: inout CoefficientOverflow
  ) -> UInt32 {
    var decoder = self  // a local copy stays in registers
    defer { self = decoder }
    var extents: UInt32 = 0
    var position = offset
    var above = context.above
    var left = context.left
    coefficients.storeVectors(size &* size, at: offset) { _ in .zero }
    for _ in 0..<size {
      // The lowest bits of `left` and `above` belong to the next row and the next block.
      var isLeftCoded = left & 1
      left >>= 1
      for _ in 0..<size {
        extents >>= 2
        let context = Int(truncatingIfNeeded: isLeftCoded &+ above & 1)
        above >>= 1
        // The first bool of a block is true if the block has coefficients.
        let start = tables.node(position: tables.first, context: context)
        if decoder.bools.bool(tables.probabilities[start], bytes) {
          isLeftCoded = 1
          above |= 1 << UInt32(size &- 1)
          let length = decoder.finishBlock(tables, context: context, bytes, &coefficients, at: position, &overflow)
          extents |= BlockExtent.ofBlock(length: length) << 30
        } else {
          isLeftCoded = 0
        }
        position &+= 16
      }
    }
    return extents >> UInt32(32 &- 2 &* size &* size)
  }

  /// Decodes the rest of a block that has coefficients.
  ///
  /// - Returns: the block's length: the position after its last coefficient.
  @inline(__always)
  private mutating func finishBlock(
    _ tables: TokenProbabilities, context: Int, _ bytes: Span<UInt8>, _ coefficients: inout MutableSpan<Int8>,
    at offset: Int, _ overflow: inout CoefficientOverflow
  ) -> Int {
    let probabilities = tables.probabilities.span
    var position = tables.first
    var node = tables.node(position: position, context: context)
    while true {
      while !bools.bool(probabilities[node &+ 1], bytes) {  // DCT_0, after which the block cannot end
        position &+= 1
        if position == 16 { return 16 }
        node = tables.node(position: position, context: 0)
      }
      let isLarge = bools.bool(probabilities[node &+ 2], bytes)
      let magnitude = isLarge ? largeMagnitude(probabilities, node, bytes) : 1
      let rasterPosition = Int(zigzag[position])
      let byte = overflow.split(Int(bools.sign(magnitude, bytes)), at: offset &+ rasterPosition)
      coefficients.store(byte, at: rasterPosition, ofBlockAt: offset)
      position &+= 1
      if position == 16 { return 16 }
      node = tables.node(position: position, context: isLarge ? 2 : 1)
      if !bools.bool(probabilities[node], bytes) { return position }
    }
  }

  /// Decodes the rest of the tree, for magnitudes from 2 on. Inlined, so that the decoder stays in registers.
  @inline(__always)
  private mutating func largeMagnitude(_ probabilities: Span<UInt8>, _ node: Int, _ bytes: Span<UInt8>) -> Int32 {
    if !bools.bool(probabilities[node &+ 3], bytes) {
      if !bools.bool(probabilities[node &+ 4], bytes) { return 2 }
      return bools.bool(probabilities[node &+ 5], bytes) ? 4 : 3
    }
    // dct_cat1 to dct_cat6: the smallest magnitude, and the extra bits.
    let smallest: Int32
    var extra: UInt64
    var bits: Int32 = 0
    if !bools.bool(probabilities[node &+ 6], bytes) {
      (smallest, extra) =
        bools.bool(probabilities[node &+ 7], bytes) ? (7, ExtraBits.category2) : (5, ExtraBits.category1)
    } else if !bools.bool(probabilities[node &+ 8], bytes) {
      (smallest, extra) =
        bools.bool(probabilities[node &+ 9], bytes) ? (19, ExtraBits.category4) : (11, ExtraBits.category3)
    } else if !bools.bool(probabilities[node &+ 10], bytes) {
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
