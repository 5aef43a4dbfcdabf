// The coefficients of a block (RFC 6386, section 13), by the state machine of `TokenTree`.
//
// Nothing here branches on a bool, but on the first of a block: half of them come as a surprise to any processor.

/// Decodes the blocks of one token partition.
struct TokenMachine: BlockReader {
  private var bools: UnscaledBoolDecoder

  /// Starts at the beginning of `bytes`, of which there must be one at least.
  init(_ bytes: Span<UInt8>) {
    bools = UnscaledBoolDecoder(bytes)
  }

  @inline(__always)
  func isExhausted(_ bytes: Span<UInt8>) -> Bool { bools.isExhausted(bytes) }

  @inline(__always)
  mutating func startsBlock(_ tree: TokenTree, context: Int, _ bytes: Span<UInt8>) -> Bool {
    bools.bool(UInt8(truncatingIfNeeded: tree.nodes[TokenTree.starts &+ context]), bytes)
  }

  @inline(__always)
  mutating func finishBlock(
    _ tree: TokenTree, context: Int, _ bytes: Span<UInt8>, _ levels: inout MutableSpan<Int16>, at offset: Int
  ) -> Int {
    let nodes = tree.nodes.span
    levels.storeVector(.zero, at: offset)
    var record = UInt32(truncatingIfNeeded: nodes[TokenTree.starts &+ context] >> 32)
    while true {
      (bools, record) = Self.run(bools, bytes, nodes, record, &levels, at: offset)
      let id = Int(record >> 16 & 1023)
      if id >= TokenTree.end { return id &- TokenTree.end }
      let level: Int
      (bools, level) = Self.large(bools, bytes, category: id >> 4 &- 50)
      levels.store(Int16(truncatingIfNeeded: level), at: id, ofBlockAt: offset)
      record = UInt32(truncatingIfNeeded: nodes[id])
    }
  }

  /// Runs the state machine until a stop record.
  @inline(__always)
  private static func run(
    _ bools: UnscaledBoolDecoder, _ bytes: Span<UInt8>, _ nodes: Span<UInt64>, _ record: UInt32,
    _ levels: inout MutableSpan<Int16>, at offset: Int
  ) -> (UnscaledBoolDecoder, UInt32) {
    // The bounds of all stores below, so that none of them looks again.
    precondition(nodes.count == TokenTree.nodeCount && offset >= 0 && offset <= levels.count &- 16)
    var bools = bools
    var record = record
    while record & TokenTree.stop == 0 {
      let low = bools.lowBit(bytes)
      let next = nodes[Int(record >> 16 & 1023)]
      // The whole record is multiplied, and shifted: what is above its probability is masked out.
      let rest = (256 &- UInt64(record)) &<< low
      let one = bools.take(((bools.range &* UInt64(record) &+ rest) & (0xFF00 &<< low)) >> 8)
      let id = Int(record >> 16 & 1023)
      record = UInt32(truncatingIfNeeded: next >> 32 & one | next & ~one)
      // Every bool stores a level, most of them 0, which a later one at the same place overwrites.
      levels.store(Int16(truncatingIfNeeded: Int32(bitPattern: record) >> 27), at: id, ofBlockAt: offset)
    }
    return (bools, record)
  }

  /// A coefficient of dct_cat3 to dct_cat6 (categories 0...3 here): its extra bits and its sign (section 13.2).
  @inline(never)
  private static func large(
    _ bools: UnscaledBoolDecoder, _ bytes: Span<UInt8>, category: Int
  ) -> (UnscaledBoolDecoder, Int) {
    var bools = bools
    var odds: UInt64
    var bits = 0
    switch category {
    case 0: odds = ExtraBits.category3
    case 1: odds = ExtraBits.category4
    case 2: odds = ExtraBits.category5
    default:
      odds = ExtraBits.category6
      for probability in ExtraBits.firstOfCategory6 {
        bits = bits << 1 | bools.mask(probability, if: -1, bytes) & 1
      }
    }
    repeat {
      bits = bits << 1 | bools.mask(UInt8(truncatingIfNeeded: odds), if: -1, bytes) & 1
      odds >>= 8
    } while odds != 0
    let sign = bools.mask(128, if: -1, bytes)
    let magnitude = bits &+ 3 &+ 8 &<< category
    return (bools, (magnitude ^ sign) &- sign)
  }
}
