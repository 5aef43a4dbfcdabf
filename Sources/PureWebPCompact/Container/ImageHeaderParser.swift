/// Parses the headers of a still image file, and finds its bitstream (RFC 9649, sections 2.3 to 2.7). Each call parses
/// the headers again from the start, except for the chunks that an earlier call has skipped.
struct ImageHeaderParser {
  enum Stream {
    case vp8(FrameTag)
    case vp8L(LosslessHeader)
  }

  /// The size of the image, in pixels. Until the image's own header is parsed, it is the size of the canvas.
  private(set) var width = 0
  private(set) var height = 0
  /// The payload of the last ALPH chunk before the image. Earlier ALPH chunks are ignored.
  private(set) var alpha: Range<Int>?
  /// The header of the bitstream. Nil until all headers are parsed, and if the file is an animation.
  private(set) var stream: Stream?
  /// The offset of the bitstream. Its decoder may read to the end of the input, beyond the size of the chunk.
  private(set) var streamOffset = 0
  /// The size of the bitstream's chunk, but at most `most`.
  private(set) var streamSize = 0
  /// The end of the bitstream's chunk.
  var streamEnd: Int { streamOffset &+ streamSize }
  private(set) var isAnimated = false
  /// True if all headers have been parsed.
  private(set) var isFinished = false

  /// The maximum size of a file, in bytes.
  static let largestFile = 1 << 30
  private static let most = Int64(largestFile)
  /// The end of the file according to the RIFF header, but at most `most`.
  private var fileEnd = 0
  /// True if the VP8X chunk has been parsed.
  private(set) var isExtended = false
  private var extendedHasAlpha = false
  /// The offset of the next chunk before the image. 0 until the headers of the file are parsed.
  private var offset = 0
  /// The size of WEBP, of the VP8X chunk, and of the chunks between VP8X and the image. Like libwebp, the parser counts
  /// WEBP and VP8X even if they are missing.
  private var skippedSize: Int64 = 22

  /// Parses the headers of a complete file. Errors have the status of libwebp's WebPDecode, which reports a file that
  /// ends within its headers as corrupt rather than truncated.
  @inline(never)
  mutating func walk(complete bytes: Span<UInt8>) throws(WebP.DecodeError) {
    do throws(WebP.DecodeError) {
      try walk(bytes)
    } catch {
      // If the VP8X chunk is complete, libwebp reports a truncated file as such.
      guard isExtended, error.kind == .truncated else { throw error.with(status: 3) }
      throw fileEnd > bytes.count ? Self.truncated(bytes, .truncatedFile) : error
    }
    // The demuxer checks the frames of animations.
    guard isAnimated || fileEnd <= bytes.count else { throw Self.truncated(bytes, .truncatedFile) }
    guard isAnimated || streamEnd <= bytes.count else { throw Self.truncated(bytes, .truncatedImage) }
  }

  /// Parses the headers as far as the bytes are available.
  ///
  /// - Throws: `.truncated` if the bytes end too early. Parsing can continue when more bytes are available.
  @inline(never)
  mutating func walk(_ bytes: Span<UInt8>) throws(WebP.DecodeError) {
    if isFinished { return }
    guard bytes.count >= RIFFHeader.byteCount else {
      // libwebp reports NOT_ENOUGH_DATA here, regardless of the contents.
      guard FileFormat.mayBeWebP(bytes) else { throw FileFormat.error(for: bytes).with(status: 7) }
      throw Self.truncated(bytes, bytes.isEmpty ? .emptyInput : .truncatedHeaders)
    }
    var start = 0
    var riffSize = Int64.max
    if let riff = try RIFFHeader(bytes) {
      start = RIFFHeader.byteCount
      riffSize = riff.size
      fileEnd = Int(truncatingIfNeeded: min(riff.end, Self.most))
    }
    let first = try Self.chunk(bytes, at: start)
    var (canvasWidth, canvasHeight) = (0, 0)
    if first.fourCC == .vp8X {
      guard let extended = try ExtendedHeader(first, bytes, at: start) else { throw Self.truncated(bytes) }
      guard start > 0 else { throw corrupt(.extendedHeaderOutsideFile, at: 0) }
      isExtended = true
      (canvasWidth, canvasHeight) = (extended.width, extended.height)
      (width, height, extendedHasAlpha) = (canvasWidth, canvasHeight, extended.hasAlpha)
      isAnimated = extended.isAnimated
      isFinished = isAnimated
      if isAnimated { return }
      start += ChunkHeader.byteCount + ExtendedHeader.byteCount
    }
    offset = max(offset, start)
    var header = try Self.chunk(bytes, at: offset)
    // Other chunks may precede the image in an extended file and, from ALPH on, in a frame of an animation.
    while isExtended || start == 0 && first.fourCC == .alph {
      let total = (skippedSize &+ header.paddedSize) & 0xFFFF_FFFF  // libwebp adds in 32 bits
      guard header.size <= ChunkHeader.maximumSize else { throw corrupt(.invalidChunkSize, at: offset &+ 4) }
      guard total <= riffSize else { throw corrupt(.chunkExceedsFile, at: offset &+ 4) }
      if header.isPicture { break }
      guard header.paddedSize <= Int64(bytes.count &- offset) else { throw Self.truncated(bytes) }
      if header.fourCC == .alph {
        let payload = offset &+ ChunkHeader.byteCount
        alpha = payload..<payload &+ Int(truncatingIfNeeded: header.size)
      }
      offset &+= Int(truncatingIfNeeded: header.paddedSize)
      skippedSize = total
      header = try Self.chunk(bytes, at: offset)
    }
    streamOffset = offset
    // The size of a bitstream without a chunk is the number of bytes that have arrived.
    streamSize = bytes.count &- offset
    var isLossless = header.fourCC == .vp8L
    if header.isPicture {
      streamOffset &+= ChunkHeader.byteCount
      streamSize = Int(truncatingIfNeeded: min(header.size, Self.most))
      guard header.size <= riffSize &- 12 else { throw corrupt(.chunkExceedsFile, at: offset &+ 4) }
      guard header.size <= ChunkHeader.maximumSize else {
        throw corrupt(.invalidChunkSize, at: offset)
      }
    } else {
      isLossless = LosslessHeader(bytes, at: offset) != nil
    }
    guard bytes.count &- streamOffset >= (isLossless ? LosslessHeader.byteCount : FrameTag.byteCount) else {
      throw Self.truncated(bytes, .truncatedImageHeader)
    }
    if isLossless {
      if let header = LosslessHeader(bytes, at: streamOffset) {
        stream = .vp8L(header)
        (width, height) = (header.width, header.height)
      }
    } else if let tag = FrameTag(bytes, at: streamOffset, chunkSize: Int64(streamSize)) {
      stream = .vp8(tag)
      (width, height) = (tag.width, tag.height)
    } else if !header.isPicture, FrameTag(bytes, at: streamOffset, chunkSize: .max) != nil {
      throw Self.truncated(bytes, .truncatedFirstPartition)
    }
    guard stream != nil else {
      if streamOffset == 0 { throw FileFormat.error(for: bytes) }
      let isFirstChunk = streamOffset == RIFFHeader.byteCount
      throw corrupt(isFirstChunk ? .invalidFirstChunk : .invalidImageHeader, at: streamOffset)
    }
    if isExtended, canvasWidth != width || canvasHeight != height {
      throw corrupt(.sizeMismatch, at: streamOffset)
    }
    isFinished = true
  }

  /// Indicates whether the image may have pixels that are not opaque, according to the headers.
  var hasAlpha: Bool {
    if case .vp8L(let header) = stream { return header.hasAlpha || alpha != nil }
    return extendedHasAlpha || alpha != nil
  }

  private static func chunk(_ bytes: Span<UInt8>, at offset: Int) throws(WebP.DecodeError) -> ChunkHeader {
    guard let header = ChunkHeader(bytes, at: offset) else { throw truncated(bytes) }
    return header
  }

  private static func truncated(
    _ bytes: Span<UInt8>, _ cause: ErrorCause = .truncatedHeaders
  ) -> WebP.DecodeError {
    WebP.DecodeError(cause, offset: bytes.count)
  }
}

extension ChunkHeader {
  var isPicture: Bool { fourCC == .vp8 || fourCC == .vp8L }
}
