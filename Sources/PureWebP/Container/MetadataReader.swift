// The metadata chunks of a file (RFC 9649, sections 2.7.1.4 to 2.7.1.6). They may stand anywhere; of several of a kind
// the first counts. Lenient: what is damaged is left out.

extension WebP.Metadata {
  init(_ bytes: Span<UInt8>) {
    self.init()
    guard let riff = ChunkHeader(bytes, at: 0), riff.fourCC == .riff, bytes.count >= 12,
      bytes.littleEndian32(at: 8) == WebP.FourCC.webp.rawValue
    else { return }
    let end = min(Int64(bytes.count), Int64(ChunkHeader.byteCount) + riff.size)
    var offset = 12
    while let header = ChunkHeader(bytes, at: offset) {
      let payload = offset + ChunkHeader.byteCount
      guard header.size <= end - Int64(payload) else { return }
      let range = payload..<payload + Int(header.size)
      switch header.fourCC {
      case .iccp where icc == nil: icc = [UInt8](bytes, range)
      case .exif where exif == nil: exif = [UInt8](bytes, range)
      case .xmp where xmp == nil: xmp = [UInt8](bytes, range)
      default: break
      }
      guard header.paddedSize <= end - Int64(offset) else { return }
      offset += Int(header.paddedSize)
    }
  }
}

extension [UInt8] {
  fileprivate init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    self.init()
    reserveCapacity(range.count)
    for index in range { append(bytes[index]) }
  }
}
