// Reading bits from a VP8L stream, least significant bit of each byte first (RFC 9649, section 3.2).
//
//     63             held                          0
//   ├─ bits to come ─┼─ bits that are surely there ─┤  window
//
// A refill puts eight bytes above the bits that are held, and counts those that are whole; at least 56 bits are then
// there. Of the last byte some bits may be above the count: they are the right ones, and put there again by the next
// refill. So neither a refill nor taking bits has a branch.

/// A place in a bit stream, with the next bits at hand.
///
/// A small value: in a hot loop copy it to a local, read, and store it back. It holds no bytes; whoever refills it
/// gives them. Past their end all bits are zero: who reads asks afterwards whether `bit` is beyond the end.
struct BitReader {
  /// The next bit to read is the lowest.
  private var window: UInt64 = 0
  /// How many bits of the window have been counted, modulo 64: only the lowest six bits have a meaning.
  private var held: UInt64 = 0
  /// The next byte to load.
  private var position: Int

  init(atBit bit: Int, of bytes: Span<UInt8>) {
    position = bit >> 3
    refill(from: bytes)
    drop(UInt32(truncatingIfNeeded: bit & 7))
  }

  /// A reader of no more than the lowest 56 bits of `window`.
  init(window: UInt64) {
    self.window = window
    held = 56
    position = 7
  }

  /// The place of the next bit, counted from the start of the bytes.
  var bit: Int { position &* 8 &- Int(truncatingIfNeeded: held & 63) }

  /// Makes at least 56 bits of the window valid.
  @inline(__always)
  mutating func refill(from bytes: Span<UInt8>) {
    window |= bytes.paddedLittleEndian(at: position) &<< held
    position &+= Int(truncatingIfNeeded: (~held &>> 3) & 7)
    held |= 56
  }

  /// Moves on by the lowest six bits of `count`.
  @inline(__always)
  mutating func drop(_ count: UInt32) {
    window = window &>> UInt64(count)
    held = held &- UInt64(count)
  }

  /// The next `count` bits, which the window must hold.
  @inline(__always)
  func peek(_ count: UInt64) -> Int {
    index(1 &<< count &- 1)
  }

  /// The next n bits, which the window must hold, for a mask of 2ⁿ − 1.
  @inline(__always)
  func index(_ mask: UInt64) -> Int { Int(truncatingIfNeeded: window & mask) }

  /// The next `count` bits, which the window must hold.
  @inline(__always)
  mutating func take(_ count: Int) -> Int {
    let bits = peek(UInt64(truncatingIfNeeded: count))
    drop(UInt32(truncatingIfNeeded: count))
    return bits
  }

  /// Refills, and takes `count` bits, 56 at the most.
  @inline(__always)
  mutating func read(_ count: Int, from bytes: Span<UInt8>) -> Int {
    refill(from: bytes)
    return take(count)
  }
}
