// The boolean entropy decoder (RFC 6386, section 7), without ever scaling the interval back: the place of the range's top
// bit tells where the eight significant bits are, and the bits below them have been read and not yet used. That saves the
// shifts on the longest chain of dependent instructions in the whole decoder.
//
//   63            top      top − 7                    0
//   ├─ zero ────────┤ significant ├─ read, not used ──┤      range and value alike

/// Decodes the bools of one token partition.
///
/// Like `BoolDecoder` it holds a position, not the bytes, and can go on when the bytes have grown. A partition that
/// starts with 0xFF, outside of the interval, is not for it.
struct UnscaledBoolDecoder: BoolReader {
  /// The part of the fraction that has been read, less the start of the interval.
  var value: UInt64
  /// The interval's size.
  var range: UInt64
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
    self.init(value: window, range: range, position: position)
  }

  @inline(__always)
  func isExhausted(_ bytes: Span<UInt8>) -> Bool { position > bytes.count }

  @inline(__always)
  mutating func bool(_ probability: UInt8, _ bytes: Span<UInt8>) -> Bool {
    let top = topBit(bytes, refillingApart: true)
    let split = Self.split(range, probability, top)
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
    let top = topBit(bytes, refillingApart: true)
    let negative = take(Self.split(range, 128, top))
    return (magnitude ^ Int32(truncatingIfNeeded: negative)) &- Int32(truncatingIfNeeded: negative)
  }

  @inline(__always)
  mutating func mask(_ probability: UInt8, if isCoded: Int, _ bytes: Span<UInt8>) -> Int {
    let top = topBit(bytes, refillingApart: true)
    let isCoded = UInt64(truncatingIfNeeded: isCoded)
    // If it is not coded, all of the interval is its lower part.
    return Int(truncatingIfNeeded: take(Self.split(range, probability, top) & isCoded | range & ~isCoded))
  }

  /// Takes the part of the interval that the fraction is in: the lower one, 0, or the upper one, all ones.
  @inline(__always)
  mutating func take(_ split: UInt64) -> UInt64 {
    // Masks become conditional moves; with `?:` alone the compiler may well decide to branch.
    let (rest, isBelow) = value.subtractingReportingOverflow(split)
    let one: UInt64 = isBelow ? 0 : ~0
    range = (range &- split) & one | split & ~one
    value = isBelow ? value : rest
    return one
  }

  /// Where the lower part of the interval ends (section 7.3): 1 + ⌊(range − 1) · probability / 256⌋, in units of the
  /// lowest significant bit.
  @inline(__always)
  static func split(_ range: UInt64, _ probability: UInt8, _ top: UInt64) -> UInt64 {
    let probability = UInt64(probability)
    return ((range &* probability &+ ((256 &- probability) &<< top) >> 7) & (0x1FE &<< top)) >> 8
  }

  /// The place of the top bit of `range`, after reading bytes if there are not seven below it.
  @inline(__always)
  mutating func topBit(_ bytes: Span<UInt8>, refillingApart: Bool = false) -> UInt64 {
    if range < 128 {
      self =
        refillingApart
        ? Self.refilledApart(value, range, position, bytes) : Self.refilled(value, range, position, bytes)
      precondition(range >= 128)  // spares leadingZeroBitCount its case for zero
    }
    return UInt64(truncatingIfNeeded: range.leadingZeroBitCount ^ 63)
  }

  /// Reads six bytes at once, or near the end as many as there are. When there are none, zeros stand in for them, and
  /// the position says so.
  @inline(__always)
  private static func refilled(_ value: UInt64, _ range: UInt64, _ position: Int, _ bytes: Span<UInt8>) -> Self {
    if position <= bytes.count &- 8 {
      let next = bytes.loadBigEndian(at: position) >> 16
      return Self(value: value << 48 | next, range: range << 48, position: position &+ 6)
    }
    return refilledFromEnd(value, range, position, bytes)
  }

  @inline(never)
  private static func refilledApart(_ value: UInt64, _ range: UInt64, _ position: Int, _ bytes: Span<UInt8>) -> Self {
    refilled(value, range, position, bytes)
  }

  /// By value and out of line: the decoder's own fields then stay in registers.
  @inline(never)
  private static func refilledFromEnd(_ value: UInt64, _ range: UInt64, _ position: Int, _ bytes: Span<UInt8>) -> Self {
    guard position < bytes.count else {
      return Self(value: value << 48, range: range << 48, position: bytes.count &+ 1)
    }
    var (value, range, position) = (value, range, position)
    for _ in 0..<min(6, bytes.count &- position) {
      value = value << 8 | UInt64(bytes[position])
      range <<= 8
      position &+= 1
    }
    return Self(value: value, range: range, position: position)
  }
}
