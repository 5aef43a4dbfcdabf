/// Iterates leniently over the chunks of a file (RFC 9649, section 2.3). The iteration ends at a chunk that exceeds the
/// file.
///
/// Chunks in an ANMF chunk (section 2.7.1.1) are returned after it, as in `Demuxer`.
///
/// Used to read information that does not require a valid file. `Demuxer` and `ImageHeaderParser` find the images.
struct ChunkIterator {
  private var offset: Int64
  private let end: Int64

  /// Iterates over a complete file. Nil if it is not a WebP file.
  init?(file bytes: Span<UInt8>) {
    guard let riffEnd = RIFFHeader.uncheckedEnd(bytes) else { return nil }
    offset = Int64(RIFFHeader.byteCount)
    end = min(Int64(bytes.count), riffEnd)
  }

  /// The FourCC and the payload of the next chunk.
  mutating func next(_ bytes: Span<UInt8>) -> (fourCC: WebP.FourCC, payload: Range<Int>)? {
    guard offset <= end - Int64(ChunkHeader.byteCount), let header = ChunkHeader(bytes, at: Int(offset)) else {
      return nil
    }
    let payload = Int(offset) + ChunkHeader.byteCount
    guard header.size <= end - Int64(payload) else { return nil }
    let inner = ChunkHeader.byteCount + AnimationFrameHeader.byteCount
    // May exceed `end` if the last chunk has no padding. The chunk is still accepted.
    offset += header.fourCC == .anmf ? min(header.paddedSize, Int64(inner)) : header.paddedSize
    return (header.fourCC, payload..<payload + Int(header.size))
  }
}
