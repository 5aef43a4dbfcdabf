// The coefficients of a block (RFC 6386, section 13), by the state machine of `TokenTree`.
//
// The bools are those of section 7, decoded without ever scaling the interval back: the place of the range's top bit
// tells where the eight significant bits are, and the bits below them have been read and not yet used. That saves the
// shifts on the longest chain of dependent instructions in the whole decoder.
//
//   63            low + 7      low                    0
//   ├─ zero ────────┤ significant ├─ read, not used ──┤      range and value alike
//
// Nothing here branches on a bool, but on the first of a block: half of them come as a surprise to any processor.

/// Decodes the blocks of one token partition.
///
/// Like `BoolDecoder` it holds a position, not the bytes, and can go on when the bytes have grown. A partition that
/// starts with 0xFF, outside of the interval, is not for it.
struct TokenMachine: BlockReader {
  /// The part of the fraction that has been read, less the start of the interval.
  private var value: UInt64
  /// The interval's size.
  private var range: UInt64
  /// Where the next byte will be read; past the end as in `BoolDecoder`.
  private var position: Int

  @inline(__always)
  private init(value: UInt64, range: UInt64, position: Int) {
    self.value = value
    self.range = range
    self.position = position
  }

  /// Starts at the beginning of `bytes`, of which there must be one at least.
  init(_ bytes: Span<UInt8>) {
    self.init(value: UInt64(bytes[0]), range: 255, position: 1)
  }

  @inline(__always)
  func isExhausted(_ bytes: Span<UInt8>) -> Bool { position > bytes.count }

  @inline(__always)
  mutating func startsBlock(_ tree: TokenTree, context: Int, _ bytes: Span<UInt8>) -> Bool {
    let low = lowBit(bytes)
    let split = Self.split(range, UInt8(truncatingIfNeeded: tree.nodes[TokenTree.starts &+ context]), low)
    if value < split {
      range = split
      return false
    }
    value = value &- split
    range = range &- split
    return true
  }

  @inline(__always)
  mutating func finishBlock(
    _ tree: TokenTree, context: Int, _ bytes: Span<UInt8>, _ levels: inout MutableSpan<Int16>, at offset: Int
  ) -> Int {
    let nodes = tree.nodes.span
    levels.storeVector(.zero, at: offset)
    var record = UInt32(truncatingIfNeeded: nodes[TokenTree.starts &+ context] >> 32)
    while true {
      (self, record) = Self.run(self, bytes, nodes, record, &levels, at: offset)
      let id = Int(record >> 16 & 1023)
      if id >= TokenTree.end { return id &- TokenTree.end }
      let level: Int
      (self, level) = Self.large(self, bytes, category: id >> 4 &- 50)
      levels.store(Int16(truncatingIfNeeded: level), at: id, ofBlockAt: offset)
      record = UInt32(truncatingIfNeeded: nodes[id])
    }
  }

  /// Runs the state machine until a stop record.
  @inline(__always)
  private static func run(
    _ machine: TokenMachine, _ bytes: Span<UInt8>, _ nodes: Span<UInt64>, _ record: UInt32,
    _ levels: inout MutableSpan<Int16>, at offset: Int
  ) -> (TokenMachine, UInt32) {
    precondition(nodes.count == TokenTree.nodeCount)
    var machine = machine
    var record = record
    while record & TokenTree.stop == 0 {
      let low = machine.lowBit(bytes)
      let id = Int(record >> 16 & 1023)
      let next = nodes[id]
      // The whole record is multiplied, and shifted: what is above its probability is masked out.
      let rest = (256 &- UInt64(record)) &<< low
      let split = ((machine.range &* UInt64(record) &+ rest) & (0xFF00 &<< low)) >> 8
      // Written with masks, which become conditional moves; with `?:` the compiler may well decide to branch.
      let one: UInt64 = machine.value >= split ? ~0 : 0
      machine.range = (machine.range &- split) & one | split & ~one
      machine.value = machine.value &- (split & one)
      record = UInt32(truncatingIfNeeded: next >> 32 & one | next & ~one)
      // Every bool stores a level, most of them 0, which a later one at the same place overwrites.
      levels.store(Int16(truncatingIfNeeded: Int32(bitPattern: record) >> 27), at: id, ofBlockAt: offset)
    }
    return (machine, record)
  }

  /// A coefficient of dct_cat3 to dct_cat6 (categories 0...3 here): its extra bits and its sign (section 13.2).
  @inline(never)
  private static func large(_ machine: TokenMachine, _ bytes: Span<UInt8>, category: Int) -> (TokenMachine, Int) {
    var machine = machine
    // The probabilities of the extra bits, the first one lowest; of dct_cat6 the last eight.
    var odds: UInt64
    var bits = 0
    switch category {
    case 0: odds = 0x8C_94AD
    case 1: odds = 0x878C_9BB0
    case 2: odds = 0x82_868D_9DB4
    default:
      odds = 0x8182_858C_99B1_C4E6
      for probability: UInt8 in [254, 254, 243] { bits = bits << 1 | machine.mask(probability, bytes) & 1 }
    }
    repeat {
      bits = bits << 1 | machine.mask(UInt8(truncatingIfNeeded: odds), bytes) & 1
      odds >>= 8
    } while odds != 0
    let sign = machine.mask(128, bytes)
    let magnitude = bits &+ 3 &+ 8 &<< category
    return (machine, (magnitude ^ sign) &- sign)
  }

  // MARK: Bools

  /// The next bool, as 0 or −1. For bools that are hard to predict: without a branch.
  @inline(__always)
  private mutating func mask(_ probability: UInt8, _ bytes: Span<UInt8>) -> Int {
    let low = lowBit(bytes)
    let split = Self.split(range, probability, low)
    let one: UInt64 = value >= split ? ~0 : 0
    range = (range &- split) & one | split & ~one
    value = value &- (split & one)
    return Int(truncatingIfNeeded: one)
  }

  /// Where the lower part of the interval ends (section 7.3): 1 + ⌊(range − 1) · probability / 256⌋, in units of `low`.
  @inline(__always)
  private static func split(_ range: UInt64, _ probability: UInt8, _ low: UInt64) -> UInt64 {
    let probability = UInt64(probability)
    return ((range &* probability &+ (256 &- probability) &<< low) & (0xFF00 &<< low)) >> 8
  }

  /// The place of the lowest of the eight significant bits of `range`, after reading bytes if there are not eight.
  @inline(__always)
  private mutating func lowBit(_ bytes: Span<UInt8>) -> UInt64 {
    // Shifted first, the range tells by being 0 that there are not eight.
    var shifted = range >> 7
    if shifted == 0 {
      self = Self.refilled(value, range, position, bytes)
      shifted = range >> 7
      precondition(shifted != 0)  // spares leadingZeroBitCount its case for zero
    }
    return UInt64(truncatingIfNeeded: shifted.leadingZeroBitCount ^ 63)
  }

  /// Reads six bytes at once, or near the end as many as there are. When there are none, zeros stand in for them, and
  /// the position says so.
  @inline(__always)
  private static func refilled(
    _ value: UInt64, _ range: UInt64, _ position: Int, _ bytes: Span<UInt8>
  ) -> TokenMachine {
    if position <= bytes.count &- 8 {
      let next = bytes.loadBigEndian(at: position) >> 16
      return TokenMachine(value: value << 48 | next, range: range << 48, position: position &+ 6)
    }
    return refilledFromEnd(value, range, position, bytes)
  }

  /// By value and out of line: the machine's own fields then stay in registers.
  @inline(never)
  private static func refilledFromEnd(
    _ value: UInt64, _ range: UInt64, _ position: Int, _ bytes: Span<UInt8>
  ) -> TokenMachine {
    guard position < bytes.count else {
      return TokenMachine(value: value << 48, range: range << 48, position: bytes.count &+ 1)
    }
    var (value, range, position) = (value, range, position)
    for _ in 0..<min(6, bytes.count &- position) {
      value = value << 8 | UInt64(bytes[position])
      range <<= 8
      position &+= 1
    }
    return TokenMachine(value: value, range: range, position: position)
  }
}
