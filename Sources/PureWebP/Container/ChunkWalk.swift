/// Steps leniently from chunk to chunk (RFC 9649, section 2.3): where one reaches beyond the end, the walk is over.
///
/// It goes into ANMF chunks (section 2.7.1.1), and on through what is in them as if it stood outside, like `Demuxer`.
///
/// For what may be read of a file without having to be right. It is not for finding pictures.
struct ChunkWalk {
  private var offset: Int64
  private let end: Int64

  /// Through a whole file. Nil if it is not a WebP file.
  init?(file bytes: Span<UInt8>) {
    guard let riff = ChunkHeader(bytes, at: 0), riff.fourCC == .riff, bytes.count >= 12,
      bytes.littleEndian32(at: 8) == WebP.FourCC.webp.rawValue
    else { return nil }
    offset = 12
    end = min(Int64(bytes.count), Int64(ChunkHeader.byteCount) + riff.size)
  }

  /// The next chunk's name, and where its payload is.
  mutating func next(_ bytes: Span<UInt8>) -> (fourCC: WebP.FourCC, payload: Range<Int>)? {
    guard offset <= end - Int64(ChunkHeader.byteCount), let header = ChunkHeader(bytes, at: Int(offset)) else {
      return nil
    }
    let payload = Int(offset) + ChunkHeader.byteCount
    guard header.size <= end - Int64(payload) else { return nil }
    let inner = ChunkHeader.byteCount + AnimationFrameHeader.byteCount
    // Beyond the end, where a last chunk has no padding: it is as good as with it.
    offset += header.fourCC == .anmf ? min(header.paddedSize, Int64(inner)) : header.paddedSize
    return (header.fourCC, payload..<payload + Int(header.size))
  }
}
