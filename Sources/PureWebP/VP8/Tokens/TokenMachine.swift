// The coefficients of blocks (RFC 6386, section 13), by the state machine of `TokenTree`.

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
  mutating func read(
    _ group: BlockGroup, _ tree: TokenTree, above: UInt32, left: UInt32, _ bytes: Span<UInt8>,
    _ levels: inout MutableSpan<Int8>, at offset: Int, _ large: inout LargeLevels
  ) -> UInt32 {
    let codes: UInt32
    (bools, codes) = bools.blocks(group, tree.nodes.span, above, left, bytes, &levels, offset, &large)
    return codes
  }

  /// A coefficient of dct_cat3 to dct_cat6 (categories 0...3 here): its extra bits and its sign (section 13.2).
  @inline(never)
  static func large(
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
