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

  /// The chunk has the bitstream of an image.
  var isImage: Bool { fourCC == .vp8 || fourCC == .vp8L }
  /// The distance from the first byte of this chunk to the first byte of the next one.
  var paddedSize: Int64 { (Int64(Self.byteCount) + size + 1) & ~1 }
}

extension ChunkHeader {
  /// Reads the header of a chunk. Nil if more bytes are needed.
  ///
  /// - Throws: if the file ends before the chunk or its header does.
  init?(_ bytes: Span<UInt8>, at offset: Int, fileEnd end: Int64) throws(WebP.DecodeError) {
    guard Int64(offset + Self.byteCount) <= end else {
      throw WebP.DecodeError(.incompleteChunkHeader, offset: offset)
    }
    self.init(bytes, at: offset)
    guard size <= Self.maximumSize, Int64(offset) + paddedSize <= end else {
      throw WebP.DecodeError(.chunkExceedsFile, chunk: fourCC, offset: offset + 4)
    }
  }
}
