/// The payload of a VP8X chunk (RFC 9649, section 2.7).
///
///     byte  0          1 … 3   4 … 6       7 … 9
///           features   0       width − 1   height − 1
///           bit 1: animation, 2: XMP, 3: Exif, 4: alpha, 5: ICC profile
struct ExtendedHeader {
  static let byteCount = 10

  let features: UInt8
  /// The width of the canvas, in pixels.
  let width: Int
  /// The height of the canvas, in pixels.
  let height: Int

  var isAnimated: Bool { features & 0x02 != 0 }
  var hasAlpha: Bool { features & 0x10 != 0 }
  /// Indicates whether one of the bits 0, 6 and 7 is set.
  var hasReservedFeatures: Bool { features & ~0x3E != 0 }

  /// The offset of `features` in a file, whose first chunk is VP8X.
  static var featuresOffset: Int { RIFFHeader.byteCount + ChunkHeader.byteCount }

  /// - Parameter offset: the position of the chunk.
  /// - Returns: nil if more bytes are needed.
  init?(_ header: ChunkHeader, _ bytes: Span<UInt8>, at offset: Int) throws(WebP.DecodeError) {
    guard header.size == Self.byteCount else {
      throw WebP.DecodeError(.invalidChunkSize, chunk: .vp8X, offset: offset + 4)
    }
    let payload = offset + ChunkHeader.byteCount
    guard payload + Self.byteCount <= bytes.count else { return nil }
    features = bytes[payload]
    width = 1 + bytes.littleEndian24(at: payload + 4)
    height = 1 + bytes.littleEndian24(at: payload + 7)
    guard Int64(width) &* Int64(height) < 1 << 32 else {  // neither exceeds 2²⁴
      throw WebP.DecodeError(.canvasExceedsFormat, chunk: .vp8X, offset: payload + 4)
    }
  }
}
