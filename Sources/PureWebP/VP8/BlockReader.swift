// The coefficients of one block (RFC 6386, section 13), by the state machine of `TokenTree`.

extension BoolDecoder {
  /// Decodes a block and returns its length: the position after its last coefficient, or `first` if it has none.
  ///
  /// - Parameters:
  ///   - first: the position of the first coefficient: 1 in luma blocks whose DC comes from the Y2 block.
  ///   - context: how many of the neighbours to the left and above have coefficients.
  ///   - factors: what the coefficients are multiplied with, modulo 2¹⁶.
  ///   - coefficients: sixteen are written in raster order from `offset` on, unless the block has none.
  @inline(__always)
  mutating func block(
    _ nodes: Span<UInt64>, first: Int, context: Int, _ bytes: Span<UInt8>, factors: SIMD16<Int16>,
    _ coefficients: inout MutableSpan<Int16>, at offset: Int
  ) -> Int {
    // The first bool decides whether there is anything to do at all: a branch, with nothing to set up before it.
    let start = nodes[TokenTree.starts &+ first &* 3 &+ context]
    if !bool(UInt8(truncatingIfNeeded: start), bytes) { return first }
    return nonEmptyBlock(
      nodes, UInt32(truncatingIfNeeded: start >> 32), bytes, factors: factors, &coefficients, at: offset)
  }

  @inline(__always)
  private mutating func nonEmptyBlock(
    _ nodes: Span<UInt64>, _ start: UInt32, _ bytes: Span<UInt8>, factors: SIMD16<Int16>,
    _ coefficients: inout MutableSpan<Int16>, at offset: Int
  ) -> Int {
    coefficients.storeVector(.zero, at: offset)
    var record = start
    while true {
      (self, record) = Self.run(self, bytes, nodes, record, &coefficients, at: offset)
      let id = Int(record >> 22)
      if id >= TokenTree.end {
        coefficients.storeVector(coefficients.loadVector(at: offset) &* factors, at: offset)
        return id &- TokenTree.end
      }
      let level: Int
      (self, level) = Self.large(self, bytes, category: id >> 4 &- 50)
      coefficients[offset &+ id & 15] = Int16(truncatingIfNeeded: level)
      record = UInt32(truncatingIfNeeded: nodes[id])
    }
  }

  /// Runs the state machine until a stop record.
  @inline(never)
  private static func run(
    _ decoder: BoolDecoder, _ bytes: Span<UInt8>, _ nodes: Span<UInt64>, _ record: UInt32,
    _ coefficients: inout MutableSpan<Int16>, at offset: Int
  ) -> (BoolDecoder, UInt32) {
    precondition(nodes.count == TokenTree.nodeCount)
    var decoder = decoder
    var record = record
    while record & TokenTree.stop == 0 {
      let low = decoder.lowBit(bytes)
      let next = nodes[Int(record >> 22)]
      let level = Int16(truncatingIfNeeded: record >> 16 & 15)
      let place = Int(record >> 22 & 15)
      // The whole record is multiplied: what is above its probability is masked out of the product.
      let rest = UInt64(256 &- (record & 0xFF)) &<< low
      let split = ((decoder.range &* UInt64(record) &+ rest) & (0xFF00 &<< low)) >> 8
      // Written with masks, which become conditional moves; with `?:` the compiler may well decide to branch.
      let one: UInt64 = decoder.value >= split ? ~0 : 0
      decoder.range = (decoder.range &- split) & one | split & ~one
      decoder.value = decoder.value &- (split & one)
      record = UInt32(truncatingIfNeeded: next >> 32 & one | next & ~one)
      // Every state stores its level, most of them 0, which a later state at the same place overwrites.
      let sign = Int16(truncatingIfNeeded: one)
      coefficients[offset &+ place] = (level ^ sign) &- sign
    }
    return (decoder, record)
  }

  /// A coefficient of dct_cat3 to dct_cat6 (categories 0...3 here): its extra bits and its sign (section 13.2).
  @inline(never)
  private static func large(_ decoder: BoolDecoder, _ bytes: Span<UInt8>, category: Int) -> (BoolDecoder, Int) {
    var decoder = decoder
    // The probabilities of the extra bits, the first one lowest; of dct_cat6 the last eight.
    var odds: UInt64
    var bits = 0
    switch category {
    case 0: odds = 0x8C_94AD
    case 1: odds = 0x878C_9BB0
    case 2: odds = 0x82_868D_9DB4
    default:
      odds = 0x8182_858C_99B1_C4E6
      for probability: UInt8 in [254, 254, 243] { bits = bits << 1 | decoder.mask(probability, bytes) & 1 }
    }
    repeat {
      bits = bits << 1 | decoder.mask(UInt8(truncatingIfNeeded: odds), bytes) & 1
      odds >>= 8
    } while odds != 0
    let sign = decoder.mask(128, bytes)
    let magnitude = bits &+ 3 &+ 8 &<< category
    return (decoder, (magnitude ^ sign) &- sign)
  }
}
