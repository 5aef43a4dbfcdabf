// The boolean entropy decoder (RFC 6386, section 7) with lazy renormalization: the interval is never scaled back. The
// top bit of the range marks the position of the eight significant bits. The bits below them have been read but not
// consumed. This method removes the shifts of the interval from the longest dependency chain of the decoder.
//
//   63            top      top − 7                    8      0
//   ├─ zero ────────┤ significant ├─ read, not used ──┼ zero ┤      range and value alike
//
// The eight zero bits leave room for the fraction of a product with a probability, so the product needs no shift.

internal import WebPFormat

/// Decodes the bools of one partition.
///
/// Like `BoolDecoder`, it stores a position, not the bytes, and can resume when more bytes are available. It cannot
/// decode a partition that starts with 0xFF, because the fraction of such a partition is outside of the interval.
struct LazyBoolDecoder: BoolReader {
  /// The part of the fraction that has been read, minus the start of the interval.
  private var value: UInt64
  /// The interval's size.
  private var range: UInt64
  /// The offset of the next byte to read. It is past the end in the same cases as in `BoolDecoder`.
  var position: Int

  @inline(__always)
  private init(value: UInt64, range: UInt64, position: Int) {
    self.value = value
    self.range = range
    self.position = position
  }

  /// Starts at the beginning of `bytes`, which must not be empty.
  init(_ bytes: Span<UInt8>) {
    self.init(value: UInt64(bytes[0]) << 8, range: 255 << 8, position: 1)
  }

  /// Continues at the position of `decoder`. Nil if the fraction lies outside of the interval.
  init?(_ decoder: BoolDecoder) {
    var (window, size, spare, position) = decoder.state
    if spare > 47 {
      // Returns the last byte to the input, because a product needs free bits above the interval.
      (window, spare, position) = (window >> 8, spare - 8, position - 1)
    }
    // If fewer than eight bits are left to compare, the size is a multiple of 2^−spare, so the shift is exact.
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
    // If the bool is not coded, its lower part is the complete interval.
    return Int(truncatingIfNeeded: take(split(UInt64(probability)) & isCoded | range & ~isCoded))
  }

  /// Narrows the interval to the part that contains the fraction. Returns 0 for the lower part and all ones for the
  /// upper.
  @inline(__always)
  mutating func take(_ split: UInt64) -> UInt64 {
    var part: UInt64 = 0
    take(split) { part = $0 }
    return part
  }

  /// Like `take`, and passes the result to `choose`. The new value is computed last, because the next bool needs it
  /// last and processors execute only about two conditional moves at a time.
  @inline(__always)
  mutating func take(_ split: UInt64, _ choose: (_ one: UInt64) -> Void) {
    // The compiler turns masks into conditional moves. With `?:` alone it may emit a branch.
    let (rest, isBelow) = value.subtractingReportingOverflow(split)
    let one: UInt64 = isBelow ? 0 : ~0
    range = (range &- split) & one | split & ~one
    choose(one)
    value = isBelow ? value : rest
  }

  /// The size of the lower part of the interval (section 7.3), 1 + ⌊(range − 1) · probability / 256⌋, in units of the
  /// lowest significant bit. This equals ⌊(range · probability + 256 − probability) / 256⌋.
  ///
  /// - Parameter probability: 0...255.
  @inline(__always)
  func split(_ probability: UInt64) -> UInt64 {
    let product = (range >> 8) &* probability &+ aligned(256 &- probability)
    return product & aligned(0xFF00)
  }

  /// Shifts `bits` so that bit 8 moves to the lowest significant bit.
  @inline(__always)
  private func aligned(_ bits: UInt64) -> UInt64 {
    // Both forms shift to the left by 48 − zeros. This step is in the dependency chain from one bool to the next, so
    // each processor uses the form with fewer instructions.
    let zeros = UInt64(truncatingIfNeeded: range.leadingZeroBitCount)
    #if arch(x86_64)
      // The processor's instruction returns the index of the top bit, 63 − zeros.
      return bits &<< ((zeros ^ 63) &- 15)
    #else
      // The processor's instruction returns `zeros`.
      return (bits &<< 48) &>> zeros
    #endif
  }

  /// Indicates that fewer than eight significant bits remain above the zero bits, so that bytes must be read before the
  /// next bool.
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
    precondition(!needsBytes)  // lets the compiler omit the case of zero in leadingZeroBitCount
  }

  /// Reads up to six bytes. After the end of the bytes, it adds zeros and sets the position past the end. The function
  /// is not inlined and takes values, so that the decoder's own fields stay in registers.
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

/// The operations of both bool decoders (RFC 6386, section 7), `OutsideBoolDecoder` and `LazyBoolDecoder`.
protocol BoolReader: Sendable {
  /// Returns whether a bool was read past the end of the bytes.
  func isExhausted(_ bytes: Span<UInt8>) -> Bool
  /// Reads the next bool, which is false with a probability of `probability` / 256.
  mutating func bool(_ probability: UInt8, _ bytes: Span<UInt8>) -> Bool
  /// Reads the sign of a coefficient (section 13.2), a bool of probability one half. Returns `magnitude`, negated if
  /// the bool is true. The first bool of a partition must not be read with this function, because the resulting
  /// interval would be wrong.
  mutating func sign(_ magnitude: Int32, _ bytes: Span<UInt8>) -> Int32
  /// Reads the next bool without a branch, for unpredictable bools. Returns 0 or −1.
  ///
  /// - Parameter isCoded: 0 or −1. If it is 0, no bool is read, and the result is 0.
  mutating func mask(_ probability: UInt8, if isCoded: Int, _ bytes: Span<UInt8>) -> Int
}

/// Decodes a partition whose fraction lies outside of the interval: see `BoolDecoder`. No encoder produces one, so the
/// operations are not inlined.
struct OutsideBoolDecoder: BoolReader {
  private var decoder: BoolDecoder

  init(_ decoder: BoolDecoder = BoolDecoder()) { self.decoder = decoder }

  var position: Int {
    get { decoder.position }
    set { decoder.position = newValue }
  }

  func isExhausted(_ bytes: Span<UInt8>) -> Bool { decoder.isExhausted(bytes) }

  @inline(never)
  mutating func bool(_ probability: UInt8, _ bytes: Span<UInt8>) -> Bool { decoder.bool(probability, bytes) }

  @inline(never)
  mutating func sign(_ magnitude: Int32, _ bytes: Span<UInt8>) -> Int32 { decoder.sign(magnitude, bytes) }

  mutating func mask(_ probability: UInt8, if isCoded: Int, _ bytes: Span<UInt8>) -> Int {
    isCoded != 0 && bool(probability, bytes) ? -1 : 0
  }
}

/// The bool decoder of a partition.
enum PartitionReader {
  case lazy(LazyBoolDecoder)
  case outside(OutsideBoolDecoder)

  /// The offset of the next byte to read in the partition.
  var position: Int {
    get {
      switch self {
      case .lazy(let bools): bools.position
      case .outside(let bools): bools.position
      }
    }
    set {
      switch self {
      case .lazy(var bools):
        bools.position = newValue
        self = .lazy(bools)
      case .outside(var bools):
        bools.position = newValue
        self = .outside(bools)
      }
    }
  }
}
