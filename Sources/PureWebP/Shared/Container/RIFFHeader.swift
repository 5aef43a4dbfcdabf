/// The header of a file (RFC 9649, section 2.4).
///
///     byte  0 … 3   4 … 7   8 … 11
///           RIFF    size    WEBP
struct RIFFHeader {
  static let byteCount = 12

  /// The size of the file from byte 8 on.
  let size: Int64

  /// The end of the file. Later bytes are ignored.
  var end: Int64 { Int64(ChunkHeader.byteCount) + size }

  /// Nil if the bytes do not begin with RIFF: they may be a bare bitstream. At least twelve bytes are required.
  init?(_ bytes: Span<UInt8>) throws(WebP.DecodeError) {
    guard let header = ChunkHeader(bytes, at: 0), header.fourCC == .riff else { return nil }
    guard bytes.littleEndian32(at: 8) == WebP.FourCC.webp.rawValue else {
      throw WebP.DecodeError(.otherFormat, value: FileFormat.otherRIFF.rawValue, offset: 8)
    }
    guard 12...ChunkHeader.maximumSize ~= header.size else {
      throw WebP.DecodeError(.invalidRIFFSize, chunk: .riff, offset: 4)
    }
    size = header.size
  }
}
