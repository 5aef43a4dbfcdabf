// The way through a file to the bytes of its picture (RFC 9649, sections 2.3 to 2.7), with libwebp's rules of what is
// accepted, which are laxer than the RFC's.
//
//   RIFF size WEBP ┬ VP8 ·                                simple
//                  ├ VP8L ·                               simple
//                  └ VP8X ─ any chunks ┬ VP8 ·            extended
//                           with ALPH  └ VP8L ·           whatever follows the picture is not looked at
//
// Without RIFF: a VP8 or VP8L chunk, a VP8 chunk with ALPH before it, or the naked stream. Frames of animations are such.

/// Where the picture of a still file is, and what the headers say of it.
struct StillHeaders {
  enum Stream {
    case vp8(FrameTag)
    case vp8L(LosslessHeader)
  }

  /// How much of the file has to be there.
  enum Need {
    /// The headers, to tell what a file is.
    case headers
    /// The picture, to decode it.
    case picture
  }

  private(set) var extended: ExtendedHeader?
  /// The payload of the ALPH chunk that counts: the last one before the picture.
  private(set) var alpha: Range<Int>?
  /// Nil if the file is an animation, or ends before the picture's own header.
  private(set) var stream: Stream?
  /// What kind of stream there is, if that is known without `stream`.
  private(set) var compression = WebP.ImageInfo.Compression.unspecified
  /// Where the stream starts. It may read on to the end of the input, whatever the chunk's size says.
  private(set) var streamOffset = 0
  /// Of the stream's chunk.
  private(set) var streamSize: Int64 = 0
  /// Where the stream's chunk ends.
  var streamEnd: Int { Int(clamping: Int64(streamOffset) + streamSize) }

  private var riff: RIFFHeader?
  /// Where the walk goes on.
  private var offset = 0
  private var step = Step.riff
  /// Of the chunks before the picture, counted as libwebp counts: from WEBP and the VP8X chunk on, even without them.
  private var skippedSize: Int64 = 22

  private enum Step {
    case riff, extended, chunks, streamChunk, streamHeader, finished
  }

  var isAnimated: Bool { extended?.isAnimated ?? false }

  /// Walks through the file, or on from where the bytes ended the last time.
  ///
  /// - Throws: `.truncated` where the bytes end too early; with more of them the walk can go on.
  mutating func walk(_ bytes: Span<UInt8>, need: Need) throws(WebP.DecodeError) {
    while step != .finished { try takeStep(bytes, need: need) }
  }

  private mutating func takeStep(_ bytes: Span<UInt8>, need: Need) throws(WebP.DecodeError) {
    switch step {
    case .riff:
      guard bytes.count >= RIFFHeader.byteCount else {
        // libwebp waits for more bytes, whatever these are.
        guard FileFormat.mayBeWebP(bytes) else { throw FileFormat.error(for: bytes).with(status: 7) }
        throw Self.truncated(bytes.isEmpty ? .emptyInput : .truncatedHeaders, at: bytes.count)
      }
      riff = try RIFFHeader(bytes)
      if riff != nil { offset = RIFFHeader.byteCount }
      step = .extended
    case .extended:
      if need == .picture, let riff, riff.end > bytes.count {
        throw Self.truncated(.truncatedFile, at: bytes.count)
      }
      try readExtended(bytes)
      if need == .headers, isAnimated {
        step = .finished
      } else {
        let tag = ChunkHeader(bytes, at: offset)?.fourCC
        step = (riff != nil ? extended != nil : tag == .alph) ? .chunks : .streamChunk
      }
    case .chunks:
      if try skipChunk(bytes) { step = .streamChunk }
    case .streamChunk:
      try readStreamChunk(bytes, need: need)
      step = .streamHeader
    case .streamHeader:
      try readStreamHeader(bytes)
      step = .finished
    case .finished:
      break
    }
  }

  private mutating func readExtended(_ bytes: Span<UInt8>) throws(WebP.DecodeError) {
    guard let header = ChunkHeader(bytes, at: offset) else { throw Self.truncated(at: bytes.count) }
    guard header.fourCC == .vp8X else { return }
    guard let extended = try ExtendedHeader(header, bytes, at: offset) else { throw Self.truncated(at: bytes.count) }
    guard riff != nil else {
      throw WebP.DecodeError(.extendedHeaderOutsideFile, chunk: .vp8X, offset: offset)
    }
    self.extended = extended
    offset += ChunkHeader.byteCount + ExtendedHeader.byteCount
  }

  /// Skips a chunk before the picture, taking note of ALPH.
  ///
  /// - Returns: whether the next chunk is the picture.
  private mutating func skipChunk(_ bytes: Span<UInt8>) throws(WebP.DecodeError) -> Bool {
    guard let header = ChunkHeader(bytes, at: offset) else { throw Self.truncated(at: bytes.count) }
    guard header.size <= ChunkHeader.maximumSize else {
      throw WebP.DecodeError(.invalidChunkSize, chunk: header.fourCC, offset: offset + 4)
    }
    let total = (skippedSize + header.paddedSize) & 0xFFFF_FFFF  // libwebp adds in 32 bits
    if let riff, total > riff.size {
      throw WebP.DecodeError(.chunkExceedsFile, chunk: header.fourCC, offset: offset + 4)
    }
    if header.fourCC == .vp8 || header.fourCC == .vp8L { return true }
    guard header.paddedSize <= Int64(bytes.count - offset) else { throw Self.truncated(at: bytes.count) }
    if header.fourCC == .alph {
      let payload = offset + ChunkHeader.byteCount
      alpha = payload..<payload + Int(header.size)
    }
    offset += Int(header.paddedSize)
    skippedSize = total
    return false
  }

  /// The header of the picture's chunk; or none, before a naked stream.
  private mutating func readStreamChunk(_ bytes: Span<UInt8>, need: Need) throws(WebP.DecodeError) {
    guard let header = ChunkHeader(bytes, at: offset) else { throw Self.truncated(at: bytes.count) }
    if header.fourCC == .vp8 || header.fourCC == .vp8L {
      streamOffset = offset + ChunkHeader.byteCount
      streamSize = header.size
      compression = header.fourCC == .vp8L ? .lossless : .lossy
      if let riff, header.size > riff.size - 12 {
        throw WebP.DecodeError(.chunkExceedsFile, chunk: header.fourCC, offset: offset + 4)
      }
      if need == .picture, header.size > Int64(bytes.count - streamOffset) {
        throw WebP.DecodeError(.truncatedImage, chunk: header.fourCC, offset: bytes.count)
      }
    } else {
      streamOffset = offset
      streamSize = Int64(bytes.count - offset)
      compression = LosslessHeader(bytes, at: offset) != nil ? .lossless : .lossy
    }
    guard streamSize <= ChunkHeader.maximumSize else {
      throw WebP.DecodeError(.invalidChunkSize, chunk: header.fourCC, offset: offset)
    }
  }

  private mutating func readStreamHeader(_ bytes: Span<UInt8>) throws(WebP.DecodeError) {
    let isLossless = compression == .lossless
    let chunk = isLossless ? WebP.FourCC.vp8L : .vp8
    guard bytes.count - streamOffset >= (isLossless ? LosslessHeader.byteCount : FrameTag.byteCount) else {
      throw WebP.DecodeError(.truncatedImageHeader, chunk: chunk, offset: bytes.count)
    }
    if isLossless {
      if let header = LosslessHeader(bytes, at: streamOffset) { stream = .vp8L(header) }
    } else {
      // A stream without a chunk of its own is as long as what has come of it.
      let hasNoChunk = streamOffset == offset
      if hasNoChunk { streamSize = Int64(bytes.count - offset) }
      if let tag = FrameTag(bytes, at: streamOffset, chunkSize: streamSize) {
        stream = .vp8(tag)
      } else if hasNoChunk, FrameTag(bytes, at: streamOffset, chunkSize: .max) != nil {
        throw WebP.DecodeError(.truncatedFirstPartition, chunk: .vp8, offset: bytes.count)
      }
    }
    guard let size = streamDimensions else {
      throw invalidStreamHeader(bytes, chunk)
    }
    if let extended, extended.width != size.width || extended.height != size.height {
      throw WebP.DecodeError(.sizeMismatch, chunk: chunk, offset: streamOffset)
    }
  }

  private var streamDimensions: (width: Int, height: Int)? {
    switch stream {
    case .vp8(let tag): (tag.width, tag.height)
    case .vp8L(let header): (header.width, header.height)
    case nil: nil
    }
  }

  /// The error of a bitstream that begins neither like VP8 nor like VP8L.
  private func invalidStreamHeader(_ bytes: Span<UInt8>, _ chunk: WebP.FourCC) -> WebP.DecodeError {
    if riff == nil, streamOffset == 0 { return FileFormat.error(for: bytes) }
    // libwebp takes a first chunk of an unknown type for a bitstream without a chunk header.
    if streamOffset == RIFFHeader.byteCount, let header = ChunkHeader(bytes, at: streamOffset) {
      return WebP.DecodeError(.invalidFirstChunk, chunk: header.fourCC, offset: streamOffset)
    }
    return WebP.DecodeError(.invalidImageHeader, chunk: chunk, offset: streamOffset)
  }

  private static func truncated(
    _ cause: ErrorCause = .truncatedHeaders, at offset: Int
  ) -> WebP.DecodeError {
    WebP.DecodeError(cause, offset: offset)
  }
}

extension StillHeaders {
  /// What libwebp's features are.
  var info: WebP.ImageInfo? {
    guard let (width, height) = extended.map({ ($0.width, $0.height) }) ?? streamDimensions else { return nil }
    var hasAlpha = extended?.hasAlpha ?? false
    if case .vp8L(let header) = stream { hasAlpha = header.hasAlpha }
    return WebP.ImageInfo(
      width: width, height: height, hasAlpha: hasAlpha || alpha != nil, isAnimated: isAnimated,
      compression: compression)
  }
}
