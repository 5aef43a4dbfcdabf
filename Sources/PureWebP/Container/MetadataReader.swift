// The metadata and unknown chunks of a file (RFC 9649, sections 2.7.1.4 to 2.7.1.6). They may stand anywhere; of
// several of a kind of metadata the first counts. Lenient: what is damaged is left out.

extension WebP.Metadata {
  init(_ bytes: Span<UInt8>, limits: WebP.Limits) {
    self.init()
    guard var chunks = ChunkWalk(file: bytes) else { return }
    var allowed = limits.maximumMetadataBytes
    while let (fourCC, payload) = chunks.next(bytes) { add(fourCC, payload, of: bytes, &allowed) }
  }

  /// What an array for a chunk takes.
  private static let unknownCost = 64

  private mutating func add(_ fourCC: WebP.FourCC, _ payload: Range<Int>, of bytes: Span<UInt8>, _ allowed: inout Int) {
    // With its header, or any number of empty chunks would cost nothing.
    let cost = ChunkHeader.byteCount + payload.count + (fourCC.isKnown ? 0 : Self.unknownCost)
    guard cost <= allowed else { return }
    switch fourCC {
    case .iccp where icc == nil: icc = [UInt8](bytes, payload)
    case .exif where exif == nil: exif = [UInt8](bytes, payload)
    case .xmp where xmp == nil: xmp = [UInt8](bytes, payload)
    case _ where fourCC.isKnown: return
    default: unknown.append(Chunk(fourCC: fourCC, payload: [UInt8](bytes, payload)))
    }
    allowed -= cost
  }
}

extension [UInt8] {
  fileprivate init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    self.init()
    append(copying: bytes.extracting(range))
  }
}
