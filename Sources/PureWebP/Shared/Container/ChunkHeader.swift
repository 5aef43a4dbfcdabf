// The header of a chunk: the eight bytes before its payload (RFC 9649, section 2.3).
//
//   ├ FourCC ┤ size, little-endian ┤ payload: size bytes ┤ a zero byte if size is odd
//
// Sizes have 64 bits, because files can have nearly 2³² bytes even if `Int` has 32 bits.

struct ChunkHeader {
  static let byteCount = 8
  /// Larger sizes are rejected, as in libwebp, so that the size of a padded chunk fits in 32 bits.
  static let maximumSize: Int64 = 0xFFFF_FFF6

  let fourCC: WebP.FourCC
  /// The size of the payload, without padding.
  let size: Int64

  /// Nil if fewer than eight bytes follow `offset`.
  init?(_ bytes: Span<UInt8>, at offset: Int) {
    guard offset >= 0, offset <= bytes.count - Self.byteCount else { return nil }
    fourCC = WebP.FourCC(rawValue: bytes.littleEndian32(at: offset))
    size = Int64(bytes.littleEndian32(at: offset + 4))
  }

  /// The distance from the first byte of this chunk to the first byte of the next one.
  var paddedSize: Int64 { (Int64(Self.byteCount) + size + 1) & ~1 }
}
