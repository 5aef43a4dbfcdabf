// The parser of the headers of a still image (RFC 9649, sections 2.3 to 2.7). It accepts the same files as libwebp,
// whose rules are less strict than the RFC's.
//
//     RIFF size WEBP ┬ VP8 ·                                simple
//                    ├ VP8L ·                               simple
//                    └ VP8X ─ any chunks ┬ VP8 ·            extended
//                             with ALPH  └ VP8L ·           chunks after the image are ignored
//
// Without RIFF: a VP8 or VP8L chunk, a VP8 chunk preceded by ALPH, or a bare bitstream. The frames of animations have
// this form.

/// The position of the image in a still file, and the properties in the headers.
public struct ImageHeaderParser: Sendable {
  public enum Stream: Sendable {
    case vp8(FrameTag)
    case vp8L(LosslessHeader)

    /// The size of the image, in pixels.
    public var size: (width: Int, height: Int) {
      switch self {
      case .vp8(let tag): (tag.width, tag.height)
      case .vp8L(let header): (header.width, header.height)
      }
    }
  }

  /// The part of the file that must be available.
  public enum Need: Sendable {
    /// The headers, which specify the properties of the file.
    case headers
    /// The complete image.
    case image
  }

  public private(set) var extended: ExtendedHeader?
  /// The payload of the applicable ALPH chunk: the last one before the image.
  public private(set) var alpha: Range<Int>?
  /// Nil if the file is an animation, or ends before the header of the bitstream.
  public private(set) var stream: Stream?
  /// The type of the bitstream, VP8 or VP8L. Nil until it is known. It may be known before `stream`.
  public private(set) var streamType: FourCC?
  /// The start of the bitstream. The decoder may read up to the end of the input, regardless of the size of the chunk.
  public private(set) var streamOffset = 0
  /// The size of the bitstream's chunk.
  public private(set) var streamSize: Int64 = 0
  /// The end of the bitstream's chunk.
  public var streamEnd: Int { Int(clamping: Int64(streamOffset) &+ streamSize) }

  private var riff: RIFFHeader?
  /// The offset at which parsing resumes.
  private var offset = 0
  private var step = Step.riff
  /// The size of WEBP, of the VP8X chunk, and of the chunks between VP8X and the image. Like libwebp, the parser counts
  /// WEBP and VP8X even if they are missing.
  private var skippedSize: Int64 = 22

  private enum Step {
    case riff, extended, chunks, streamChunk, streamHeader, finished
  }

  /// A parser without input.
  public init() {}

  public var isAnimated: Bool { extended?.isAnimated ?? false }
  /// All headers have been parsed.
  public var isFinished: Bool { step == .finished }

  /// Parses the headers, or resumes where the bytes ended in the last call.
  ///
  /// - Throws: `.truncated` if the bytes end too early. Parsing can resume when more bytes are available.
  @inline(never)
  public mutating func parse(_ bytes: Span<UInt8>, need: Need) throws(FormatError) {
    while step != .finished { try takeStep(bytes, need: need) }
  }

  private mutating func takeStep(_ bytes: Span<UInt8>, need: Need) throws(FormatError) {
    switch step {
    case .riff:
      guard bytes.count >= RIFFHeader.byteCount else {
        // libwebp reports NOT_ENOUGH_DATA here, regardless of the contents.
        guard OtherFormat.mayBeWebP(bytes) else { throw OtherFormat.error(for: bytes).with(status: 7) }
        throw Self.truncated(bytes.isEmpty ? .emptyInput : .truncatedHeaders, at: bytes.count)
      }
      riff = try RIFFHeader(bytes)
      if riff != nil { offset = RIFFHeader.byteCount }
      step = .extended
    case .extended:
      if need == .image { try checkImageIsComplete(bytes) }
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

  /// Checks that the bytes include all of the file, and of the image if its chunk header has been read.
  func checkImageIsComplete(_ bytes: Span<UInt8>) throws(FormatError) {
    if let riff, riff.end > bytes.count { throw Self.truncated(.truncatedFile, at: bytes.count) }
    // A bare bitstream extends to the end of the bytes.
    if streamType != nil, streamSize > Int64(bytes.count - streamOffset) {
      throw FormatError(.truncatedImage, chunk: streamType ?? .none, offset: bytes.count)
    }
  }

  private mutating func readExtended(_ bytes: Span<UInt8>) throws(FormatError) {
    guard let header = ChunkHeader(bytes, at: offset) else { throw Self.truncated(at: bytes.count) }
    guard header.fourCC == .vp8X else { return }
    guard let extended = try ExtendedHeader(header, bytes, at: offset) else { throw Self.truncated(at: bytes.count) }
    guard riff != nil else {
      throw FormatError(.extendedHeaderOutsideFile, chunk: .vp8X, offset: offset)
    }
    self.extended = extended
    offset += ChunkHeader.byteCount + ExtendedHeader.byteCount
  }

  /// Skips a chunk before the image, and stores the position of ALPH.
  ///
  /// - Returns: whether the next chunk is the image.
  private mutating func skipChunk(_ bytes: Span<UInt8>) throws(FormatError) -> Bool {
    guard let header = ChunkHeader(bytes, at: offset) else { throw Self.truncated(at: bytes.count) }
    guard header.size <= ChunkHeader.maximumSize else {
      throw FormatError(.invalidChunkSize, chunk: header.fourCC, offset: offset &+ 4)
    }
    let total = (skippedSize &+ header.paddedSize) & 0xFFFF_FFFF  // libwebp adds in 32 bits
    if let riff, total > riff.size {
      throw FormatError(.chunkExceedsFile, chunk: header.fourCC, offset: offset &+ 4)
    }
    if header.isImage { return true }
    guard header.paddedSize <= Int64(bytes.count - offset) else { throw Self.truncated(at: bytes.count) }
    if header.fourCC == .alph {
      let payload = offset &+ ChunkHeader.byteCount
      alpha = payload..<payload &+ Int(header.size)
    }
    offset &+= Int(header.paddedSize)
    skippedSize = total
    return false
  }

  /// Reads the header of the image's chunk. A bare bitstream has none.
  private mutating func readStreamChunk(_ bytes: Span<UInt8>, need: Need) throws(FormatError) {
    guard let header = ChunkHeader(bytes, at: offset) else { throw Self.truncated(at: bytes.count) }
    if header.isImage {
      streamOffset = offset &+ ChunkHeader.byteCount
      streamSize = header.size
      streamType = header.fourCC
      if let riff, header.size > riff.size - 12 {
        throw FormatError(.chunkExceedsFile, chunk: header.fourCC, offset: offset &+ 4)
      }
      if need == .image { try checkImageIsComplete(bytes) }
    } else {
      streamOffset = offset
      streamSize = Int64(bytes.count - offset)
      streamType = LosslessHeader(bytes, at: offset) != nil ? .vp8L : .vp8
    }
    guard streamSize <= ChunkHeader.maximumSize else {
      throw FormatError(.invalidChunkSize, chunk: header.fourCC, offset: offset)
    }
  }

  private mutating func readStreamHeader(_ bytes: Span<UInt8>) throws(FormatError) {
    let isLossless = streamType == .vp8L
    let chunk = isLossless ? FourCC.vp8L : .vp8
    guard bytes.count - streamOffset >= (isLossless ? LosslessHeader.byteCount : FrameTag.byteCount) else {
      throw FormatError(.truncatedImageHeader, chunk: chunk, offset: bytes.count)
    }
    if isLossless {
      if let header = LosslessHeader(bytes, at: streamOffset) { stream = .vp8L(header) }
    } else {
      // The size of a bitstream without a chunk is the number of bytes that have arrived.
      let hasNoChunk = streamOffset == offset
      if hasNoChunk { streamSize = Int64(bytes.count - offset) }
      if let tag = FrameTag(bytes, at: streamOffset, chunkSize: streamSize) {
        stream = .vp8(tag)
      } else if hasNoChunk, FrameTag(bytes, at: streamOffset, chunkSize: .max) != nil {
        throw FormatError(.truncatedFirstPartition, chunk: .vp8, offset: bytes.count)
      }
    }
    guard let size = stream?.size else { throw invalidStreamHeader(bytes, chunk) }
    if let extended, extended.width != size.width || extended.height != size.height {
      throw FormatError(.sizeMismatch, chunk: chunk, offset: streamOffset)
    }
  }

  /// The error for a bitstream that begins like neither VP8 nor VP8L.
  private func invalidStreamHeader(_ bytes: Span<UInt8>, _ chunk: FourCC) -> FormatError {
    if riff == nil, streamOffset == 0 { return OtherFormat.error(for: bytes) }
    // libwebp treats a first chunk of an unknown type as a bitstream without a chunk header.
    if streamOffset == RIFFHeader.byteCount, let header = ChunkHeader(bytes, at: streamOffset) {
      return FormatError(.invalidFirstChunk, chunk: header.fourCC, offset: streamOffset)
    }
    return FormatError(.invalidImageHeader, chunk: chunk, offset: streamOffset)
  }

  @inline(never)
  private static func truncated(
    _ cause: ErrorCause = .truncatedHeaders, at offset: Int
  ) -> FormatError {
    FormatError(cause, offset: offset)
  }
}

extension ImageHeaderParser {
  /// The size of the canvas, which is the size of the image, in pixels. Nil until it is known.
  public var size: (width: Int, height: Int)? { extended.map { ($0.width, $0.height) } ?? stream?.size }

  /// Indicates whether the image may have pixels that are not opaque, according to the headers.
  public var hasAlpha: Bool {
    if case .vp8L(let header) = stream { return header.hasAlpha || alpha != nil }
    return extended?.hasAlpha ?? false || alpha != nil
  }
}

// MARK: Complete files, and truncated files to which no bytes will be added

extension ImageHeaderParser {
  /// Parses the headers.
  public init(_ bytes: Span<UInt8>, need: Need) throws(FormatError) {
    do {
      try parse(bytes, need: need)
    } catch {
      // VP8X suffices for the properties of an extended file, and for an animation, whose images the demuxer finds.
      guard error.kind == .truncated, let extended, need == .headers || extended.isAnimated else { throw error }
    }
  }

  /// Parses the headers of a file for decoding. Errors have the status numbers of libwebp's WebPDecode. That function
  /// parses the properties first, and reports a file that ends before them as corrupt.
  public init(forDecoding bytes: Span<UInt8>) throws(FormatError) {
    self.init()
    var shortage: FormatError?
    do {
      try parse(bytes, need: .headers)
    } catch {
      guard error.kind == .truncated, extended != nil else { throw error.with(status: 3) }
      shortage = error
    }
    // The demuxer finds the frames of an animation. In a still file, bytes after the image are ignored.
    if isAnimated { return }
    try checkImageIsComplete(bytes)
    if let shortage { throw shortage }
  }
}
