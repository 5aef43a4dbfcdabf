// The eight bytes before a chunk's payload (RFC 9649, section 2.3).
//
//   ├ FourCC ┤ size, little-endian ┤ payload: size bytes ┤ a zero byte if size is odd
//
// Sizes are 64 bits wide here: those of files reach 2³², also where `Int` has 32 bits.

struct ChunkHeader {
  static let byteCount = 8
  /// Larger sizes are refused, as by libwebp, so that a padded chunk fits 32 bits.
  static let maximumSize: Int64 = 0xFFFF_FFF6

  let fourCC: WebP.FourCC
  /// Of the payload, without padding.
  let size: Int64

  /// Nil if fewer than eight bytes are left at `offset`.
  init?(_ bytes: Span<UInt8>, at offset: Int) {
    guard offset >= 0, offset <= bytes.count - Self.byteCount else { return nil }
    fourCC = WebP.FourCC(rawValue: bytes.littleEndian32(at: offset))
    size = Int64(bytes.littleEndian32(at: offset + 4))
  }

  /// From this chunk's first byte to the next one's.
  var paddedSize: Int64 { (Int64(Self.byteCount) + size + 1) & ~1 }
}
