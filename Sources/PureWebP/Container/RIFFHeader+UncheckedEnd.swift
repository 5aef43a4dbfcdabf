extension RIFFHeader {
  /// The end of the RIFF chunk, without the checks of `init`. Nil if the bytes do not begin with a RIFF header.
  static func uncheckedEnd(_ bytes: Span<UInt8>) -> Int64? {
    guard let riff = ChunkHeader(bytes, at: 0), riff.fourCC == .riff, bytes.count >= byteCount,
      bytes.littleEndian32(at: ChunkHeader.byteCount) == WebP.FourCC.webp.rawValue
    else { return nil }
    return Int64(ChunkHeader.byteCount) + riff.size
  }
}
