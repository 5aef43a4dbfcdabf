// The boolean entropy decoder (RFC 6386, section 7), without ever scaling the interval back: the place of the range's top
// bit tells where the eight significant bits are, and the bits below them have been read and not yet used. That saves the
// shifts on the longest chain of dependent instructions in the whole decoder.
//
//   63            top      top − 7                    8      0
//   ├─ zero ────────┤ significant ├─ read, not used ──┼ zero ┤      range and value alike
//
// The eight zeros are room for the fraction of a product with a probability, which needs no shift of its own then.

/// Decodes the bools of one token partition.
///
/// Like `BoolDecoder` it holds a position, not the bytes, and can go on when the bytes have grown. A partition that
/// starts with 0xFF, outside of the interval, is not for it.
struct LazyBoolDecoder: BoolReader {
  /// The part of the fraction that has been read, less the start of the interval.
  private var value: UInt64
  /// The interval's size.
  private var range: UInt64
  /// Where the next byte will be read; past the end as in `BoolDecoder`.
  var position: Int

  @inline(__always)
  private init(value: UInt64, range: UInt64, position: Int) {
    self.value = value
    self.range = range
    self.position = position
  }

  /// Starts at the beginning of `bytes`, of which there must be one at least.
  init(_ bytes: Span<UInt8>) {
    self.init(value: UInt64(bytes[0]) << 8, range: 255 << 8, position: 1)
  }

  /// Goes on where `decoder` is. Nil if the fraction lies outside of its interval.
  init?(_ decoder: BoolDecoder) {
    var (window, size, spare, position) = decoder.state
    if spare > 47 {
      // The byte read last is given back: the interval must have room above it for a product.
      (window, spare, position) = (window >> 8, spare - 8, position - 1)
    }
    // Where fewer than eight bits are left to compare, the size is a multiple of what that makes.
    let range = spare < 0 ? size >> UInt64(-spare) : size << UInt64(spare)
    guard window < range else { return nil }
    self.init(value: window << 8, range: range << 8, position: position)
  }

  @inline(__always)
  func isExhausted(_ bytes: Span<UInt8>) -> Bool { position > bytes.count }

  @inline(__always)
  mutating func bool(_ probability: UInt8, _ bytes: Span<UInt8>) -> Bool {
    refillIfNeeded(bytes)
    let split = split(UInt64(probability))
    if value < split {
      range = split
      return false
    }
    value = value &- split
    range = range &- split
    return true
  }

  @inline(__always)
  mutating func sign(_ magnitude: Int32, _ bytes: Span<UInt8>) -> Int32 {
    refillIfNeeded(bytes)
    let negative = take(split(128))
    return (magnitude ^ Int32(truncatingIfNeeded: negative)) &- Int32(truncatingIfNeeded: negative)
  }

  @inline(__always)
  mutating func mask(_ probability: UInt8, if isCoded: Int, _ bytes: Span<UInt8>) -> Int {
    refillIfNeeded(bytes)
    let isCoded = UInt64(truncatingIfNeeded: isCoded)
    // If it is not coded, all of the interval is its lower part.
    return Int(truncatingIfNeeded: take(split(UInt64(probability)) & isCoded | range & ~isCoded))
  }

  /// Takes the part of the interval that the fraction is in: the lower one, 0, or the upper one, all ones.
  @inline(__always)
  mutating func take(_ split: UInt64) -> UInt64 {
    var part: UInt64 = 0
    take(split) { part = $0 }
    return part
  }

  /// The same, with what else depends on the part: `choose` gets it. The value comes after that, for the next bool needs it
  /// last, and processors have room for two conditional moves at a time.
  @inline(__always)
  mutating func take(_ split: UInt64, _ choose: (_ one: UInt64) -> Void) {
    // Masks become conditional moves; with `?:` alone the compiler may well decide to branch.
    let (rest, isBelow) = value.subtractingReportingOverflow(split)
    let one: UInt64 = isBelow ? 0 : ~0
    range = (range &- split) & one | split & ~one
    choose(one)
    value = isBelow ? value : rest
  }

  /// Where the lower part of the interval ends (section 7.3): 1 + ⌊(range − 1) · probability / 256⌋, in units of the
  /// lowest significant bit. That is ⌊(range · probability + 256 − probability) / 256⌋.
  ///
  /// - Parameter probability: 0...255.
  @inline(__always)
  func split(_ probability: UInt64) -> UInt64 {
    let product = (range >> 8) &* probability &+ aligned(256 &- probability)
    return product & aligned(0xFF00)
  }

  /// Moves `bits` so that bit 8 comes to the place of the lowest significant bit.
  @inline(__always)
  private func aligned(_ bits: UInt64) -> UInt64 {
    // 63 less the zeros is the top bit. As 48 less the zeros, this would take x86-64, whose instruction finds the top bit
    // itself, two instructions more.
    let zeros = UInt64(truncatingIfNeeded: range.leadingZeroBitCount)
    return bits &<< ((zeros ^ 63) &- 15)
  }

  /// Whether there is no room for eight significant bits above the zeros: whether bytes are to be read before the next
  /// bool.
  @inline(__always)
  var needsBytes: Bool { range < 128 << 8 }

  @inline(__always)
  mutating func refillIfNeeded(_ bytes: Span<UInt8>) {
    if needsBytes {
      if position <= bytes.count &- 8 {
        // Inlined: the branch is unpredictable, and the next bool depends on it.
        value = value << 48 | (bytes.loadBigEndian(at: position) >> 16) << 8
        range <<= 48
        position &+= 6
      } else {
        self = Self.refilledAtEnd(value, range, position, bytes)
      }
    }
    precondition(!needsBytes)  // spares leadingZeroBitCount its case for zero
  }

  /// Reads as many bytes as there are. When there are none, zeros stand in for them, and the position says so. By value
  /// and out of line: the decoder's own fields then stay in registers.
  @inline(never)
  private static func refilledAtEnd(_ value: UInt64, _ range: UInt64, _ position: Int, _ bytes: Span<UInt8>) -> Self {
    guard position < bytes.count else {
      return Self(value: value << 48, range: range << 48, position: bytes.count &+ 1)
    }
    var (value, range, position) = (value, range, position)
    for _ in 0..<min(6, bytes.count &- position) {
      value = value << 8 | UInt64(bytes[position]) << 8
      range <<= 8
      position &+= 1
    }
    return Self(value: value, range: range, position: position)
  }
}
