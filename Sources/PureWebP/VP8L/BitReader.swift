// A reader of the bits of a VP8L stream, least significant bit of each byte first (RFC 9649, section 3.2).
//
//     63             held                      0
//     ├─ not counted ──┼─ valid bits ──────────┤  window
//
// A refill loads eight bytes above the valid bits and counts the bytes that fit completely, so at least 56 bits are
// valid afterwards. The bits that are not counted are a part of the next byte. The next refill combines them with equal
// bits by OR, so they need not be cleared. Therefore neither a refill nor a read needs a branch.

internal import WebPFormat

/// A position in a bitstream, and the bits that follow.
///
/// A hot loop copies the reader to a local variable and stores it back afterwards. The reader does not store the bytes:
/// the caller passes them to each refill. Past the end all bits are zeros, and `bit` is greater than the number of
/// bits.
struct BitReader {
  /// The unread bits. The next bit is the lowest.
  private var window: UInt64 = 0
  /// The number of valid bits of the window, modulo 64: only the lowest six bits are meaningful.
  private var held: UInt64 = 0
  /// The offset of the next byte to load.
  private var position: Int

  /// A reader at a position in bits. At least 49 bits of the window are valid.
  init(atBit bit: Int, of bytes: Span<UInt8>) {
    position = bit >> 3
    refill(from: bytes)
    drop(UInt32(truncatingIfNeeded: bit & 7))
  }

  /// A reader of the lowest 56 bits of `window`.
  init(window: UInt64) {
    self.window = window
    held = 56
    position = 7
  }

  /// The position of the next bit, in bits from the start of the bytes.
  var bit: Int { position &* 8 &- Int(truncatingIfNeeded: held & 63) }

  /// Makes at least 56 bits of the window valid.
  @inline(__always)
  mutating func refill(from bytes: Span<UInt8>) {
    window |= bytes.paddedLittleEndian(at: position) &<< held
    position &+= Int(truncatingIfNeeded: (~held &>> 3) & 7)
    held |= 56
  }

  /// Advances by the number in the lowest six bits of `count`.
  @inline(__always)
  mutating func drop(_ count: UInt32) {
    window = window &>> UInt64(count)
    held = held &- UInt64(count)
  }

  /// The next `count` bits, which must be valid bits of the window.
  @inline(__always)
  func peek(_ count: UInt64) -> Int {
    index(1 &<< count &- 1)
  }

  /// The next n bits, which must be valid bits of the window. `mask` is 2ⁿ − 1.
  @inline(__always)
  func index(_ mask: UInt64) -> Int { Int(truncatingIfNeeded: window & mask) }

  /// Reads the next `count` bits, which must be valid bits of the window.
  @inline(__always)
  mutating func take(_ count: Int) -> Int {
    let bits = peek(UInt64(truncatingIfNeeded: count))
    drop(UInt32(truncatingIfNeeded: count))
    return bits
  }

  /// Refills, and reads `count` bits, at most 56.
  @inline(__always)
  mutating func read(_ count: Int, from bytes: Span<UInt8>) -> Int {
    refill(from: bytes)
    return take(count)
  }
}
