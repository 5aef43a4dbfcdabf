// The reading of bits (RFC 9649, section 3.2). A position is a number, and each symbol loads its bits again. The reader
// also treats alpha data that ends within the last symbol as libwebp does.

internal import WebPFormat

/// A position in a VP8L stream (RFC 9649, section 3.2), whose bytes are read from the lowest bit to the highest. Bits
/// after the end are zero.
struct BitReader {
  /// The position of the next bit.
  var bit: Int
  /// The end of the stream, in bits. It is set only for the last symbol of alpha, which may be incomplete. libwebp
  /// buffers the last 64 bits and reads them again after the end. This reader does the same: see `held`.
  var end = Int.max
  private var isAtEnd = false

  init(atBit bit: Int) { self.bit = bit }

  /// The 57 bits from `bit` on. For the last symbol of alpha, 16 bits.
  @inline(__always)
  func peek(at bit: Int, _ bytes: Span<UInt8>) -> UInt64 {
    end == .max ? Self.load(bit, bytes) : peekLast(at: bit, bytes)
  }

  @inline(never)
  private func peekLast(at bit: Int, _ bytes: Span<UInt8>) -> UInt64 {
    held(bit, bytes) & 0xFF | (held(bit &+ 8, bytes) & 0xFF) &<< 8
  }

  /// Reads the next `count` bits, at most 32.
  @inline(never)
  mutating func take(_ count: Int, _ bytes: Span<UInt8>) -> Int {
    if isAtEnd { return 0 }
    let bits = Int(truncatingIfNeeded: held(bit, bytes) & (1 &<< UInt64(truncatingIfNeeded: count) &- 1))
    bit &+= count
    noticeEnd()
    return bits
  }

  /// Continues 64 bits before the end if the position is past the end. From then on, `take` returns 0.
  mutating func noticeEnd() {
    if bit <= end { return }
    isAtEnd = true
    bit = end &- 64
  }

  /// The bits from `bit` on. After the end, these are bits of the last 64 of the stream.
  @inline(never)
  private func held(_ bit: Int, _ bytes: Span<UInt8>) -> UInt64 { Self.load(bit < end ? bit : bit &- 64, bytes) }

  @inline(__always)
  private static func load(_ bit: Int, _ bytes: Span<UInt8>) -> UInt64 {
    bytes.paddedLittleEndian(at: bit &>> 3) &>> UInt64(truncatingIfNeeded: bit & 7)
  }
}
