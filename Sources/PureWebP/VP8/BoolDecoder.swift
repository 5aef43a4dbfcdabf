// The boolean entropy decoder (RFC 6386, section 7).
//
// A partition is one long binary fraction. The decoder keeps an interval of integers that the fraction may still lie
// in, splits it in proportion to the probability of a 0, and learns the next bool from the part that the fraction
// falls into:
//
//        value                           split                        range
//   0 ─────┼───────────────────────────────┼────────────────────────────┤
//          └─ below the split: 0           └─ from the split on: 1
//
// The RFC doubles the interval after each bool until it spans at least 128 steps. This decoder never does: the place
// of the range's top bit tells where the eight significant bits are, and the bits below them have been read and not
// yet used. That saves the shifts on the longest chain of dependent instructions in the whole decoder.
//
//   63            low + 7      low                    0
//   ├─ zero ────────┤ significant ├─ read, not used ──┤      range and value alike

/// Decodes bools from one partition.
///
/// The decoder holds a position, not the bytes: each call is given the partition's bytes as a span. Between calls the
/// span may grow at its end, which is how decoding goes on when more of a file has come. It is a small value; in a hot
/// loop copy it to a local, decode, and store it back once.
struct BoolDecoder {
  /// The part of the fraction that has been read, less the start of the interval.
  var value: UInt64
  /// The interval's size.
  var range: UInt64
  /// Where the next byte will be read. Past the end of the bytes once a bool needed bits that are not there: what has
  /// been decoded from then on means nothing.
  var position: Int

  @inline(__always)
  init(value: UInt64, range: UInt64, position: Int) {
    self.value = value
    self.range = range
    self.position = position
  }

  /// Starts at the beginning of `bytes`, of which there must be one at least; without it the decoder is exhausted.
  init(_ bytes: Span<UInt8>) {
    if bytes.isEmpty {
      self.init(value: 0, range: 255, position: 1)
    } else {
      self.init(value: UInt64(bytes[0]), range: 255, position: 1)
    }
  }

  /// Whether a bool was asked for that the bytes do not hold.
  @inline(__always)
  func isExhausted(_ bytes: Span<UInt8>) -> Bool { position > bytes.count }

  /// The next bool, which is false with a probability of `probability` / 256. For bools that are easy to predict.
  @inline(__always)
  mutating func bool(_ probability: UInt8, _ bytes: Span<UInt8>) -> Bool {
    let low = lowBit(bytes)
    let split = Self.split(range, probability, low)
    if value < split {
      range = split
      return false
    }
    value = value &- split
    range = range &- split
    return true
  }

  /// The next bool, as 0 or −1. For bools that are hard to predict: without a branch.
  @inline(__always)
  mutating func mask(_ probability: UInt8, _ bytes: Span<UInt8>) -> Int {
    let low = lowBit(bytes)
    let split = Self.split(range, probability, low)
    // Masks become conditional moves; with `?:` the compiler may well decide to branch.
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
  mutating func lowBit(_ bytes: Span<UInt8>) -> UInt64 {
    precondition(range != 0)  // spares leadingZeroBitCount its case for zero
    var top = 63 &- range.leadingZeroBitCount
    if top < 7 {
      self = Self.refilled(value, range, position, bytes)
      precondition(range != 0)
      top = 63 &- range.leadingZeroBitCount
    }
    return UInt64(truncatingIfNeeded: top &- 7)
  }

  /// Reads six bytes at once, or near the end as many as there are. When there are none, zeros stand in for them, and
  /// the position says so.
  ///
  /// By value and out of line: the decoder's own fields then stay in registers.
  @inline(never)
  private static func refilled(
    _ value: UInt64, _ range: UInt64, _ position: Int, _ bytes: Span<UInt8>
  ) -> BoolDecoder {
    if position <= bytes.count &- 8 {
      let next = bytes.loadBigEndian(at: position) >> 16
      return BoolDecoder(value: value << 48 | next, range: range << 48, position: position &+ 6)
    }
    var value = value
    var range = range
    var position = position
    guard position < bytes.count else {
      return BoolDecoder(value: value << 48, range: range << 48, position: bytes.count &+ 1)
    }
    for _ in 0..<min(6, bytes.count &- position) {
      value = value << 8 | UInt64(bytes[position])
      range <<= 8
      position &+= 1
    }
    return BoolDecoder(value: value, range: range, position: position)
  }
}

// MARK: Numbers (section 8)

extension BoolDecoder {
  /// A bool at even odds.
  mutating func flag(_ bytes: Span<UInt8>) -> Bool { bool(128, bytes) }

  /// An unsigned number of `bits` bits, most significant bit first.
  mutating func literal(_ bits: Int, _ bytes: Span<UInt8>) -> Int32 {
    var value: Int32 = 0
    for _ in 0..<bits { value = value << 1 | (flag(bytes) ? 1 : 0) }
    return value
  }

  /// A magnitude of `bits` bits, then its sign.
  mutating func signed(_ bits: Int, _ bytes: Span<UInt8>) -> Int32 {
    let magnitude = literal(bits, bytes)
    return flag(bytes) ? -magnitude : magnitude
  }

  /// A flag, and if it is set a signed number; 0 otherwise.
  mutating func optionalSigned(_ bits: Int, _ bytes: Span<UInt8>) -> Int32 {
    flag(bytes) ? signed(bits, bytes) : 0
  }
}
