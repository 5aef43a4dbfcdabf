// The structure of a complete animation file (RFC 9649, sections 2.3 to 2.7).

/// Finds the frames of a file.
struct Demuxer {
  private let limits: WebP.Limits
  private(set) var width = 0
  private(set) var height = 0
  private(set) var loopCount = 1
  private(set) var frames = ContiguousArray<AnimationFrame>()

  /// The offset of the next chunk.
  private var offset = 0
  /// The end of the file according to its RIFF header.
  private var end: Int64 = 0
  private var isSimple = false
  private var isAnimated = false
  private var hasAlphaFlag = false
  private var hasAnimChunk = false
  /// The area of all frames, in pixels.
  private var totalArea = 0
  /// The frame that is being read.
  private var frame = AnimationFrame(AnimationFrameHeader())
  /// The offset of the frame's ALPH chunk, or −1 if there is none.
  private var alpha = -1

  init(_ limits: WebP.Limits) { self.limits = limits }

  mutating func read(_ bytes: Span<UInt8>) throws(WebP.DecodeError) {
    guard bytes.count >= 20 else {
      guard FileFormat.mayBeWebP(bytes) else { throw FileFormat.error(for: bytes) }
      throw WebP.DecodeError(bytes.isEmpty ? .emptyInput : .truncatedHeaders, offset: bytes.count)
    }
    guard let riff = try RIFFHeader(bytes) else {
      try readStream(bytes, 0..<bytes.count)
      try setSize(frame.width, frame.height, at: 0)
      return try appendFrame(bytes, from: 0)
    }
    end = riff.end
    offset = RIFFHeader.byteCount
    let isComplete = try readChunks(bytes)
    guard Int64(bytes.count) >= end else { throw WebP.DecodeError(.truncatedFile, offset: bytes.count) }
    guard isComplete else { throw corrupt(.incompleteFrame, at: bytes.count) }
  }

  /// - Returns: true if the bytes were sufficient.
  private mutating func readChunks(_ bytes: Span<UInt8>) throws(WebP.DecodeError) -> Bool {
    guard let first = try ChunkHeader(bytes, at: offset, fileEnd: end) else { return false }
    switch first.fourCC {
    case .vp8, .vp8L:
      isSimple = true
    case .vp8X:
      guard let extended = try ExtendedHeader(first, bytes, at: offset) else { return false }
      let payload = offset &+ ChunkHeader.byteCount
      guard !extended.hasReservedFeatures else { throw corrupt(.reservedFeatures, at: payload) }
      try setSize(extended.width, extended.height, at: offset)
      isAnimated = extended.isAnimated
      hasAlphaFlag = extended.hasAlpha
      offset = payload &+ ExtendedHeader.byteCount
    default:
      throw corrupt(.invalidFirstChunk, at: offset)
    }
    while Int64(offset) < end {
      guard let header = try ChunkHeader(bytes, at: offset, fileEnd: end) else { return false }
      switch header.fourCC {
      case .vp8X:
        throw corrupt(.duplicateExtendedHeader, at: offset)
      case .alph, .vp8, .vp8L:
        guard !isAnimated, !hasAnimChunk else { throw corrupt(.imageOutsideFrame, at: offset) }
        guard frames.isEmpty else { throw corrupt(.duplicateImage, at: offset) }
        guard try readImage(bytes) else { return false }
        // Chunks after the image of a simple file are ignored.
        if isSimple { return true }
      case .anmf:
        guard hasAnimChunk else { throw corrupt(.frameBeforeAnimation, at: offset) }
        guard try readFrame(bytes, header) else { return false }
      default:
        let isAnim = header.fourCC == .anim
        guard !isAnim || header.size >= AnimationHeader.leastSize else {
          throw corrupt(.invalidChunkSize, at: offset &+ 4)
        }
        guard header.paddedSize <= Int64(bytes.count &- offset) else { return false }
        if isAnim, !hasAnimChunk {
          hasAnimChunk = true
          loopCount = AnimationHeader(bytes, at: offset &+ ChunkHeader.byteCount)?.loopCount ?? 1
        }
        offset &+= Int(truncatingIfNeeded: header.paddedSize)
      }
    }
    guard !frames.isEmpty else { throw corrupt(.missingImage, at: offset) }
    return true
  }

  /// Reads the image of a file that is not animated.
  private mutating func readImage(_ bytes: Span<UInt8>) throws(WebP.DecodeError) -> Bool {
    let start = offset
    let isComplete = try readImageChunks(bytes, upTo: end)
    guard frame.width > 0 else {
      guard !isComplete else { throw corrupt(.alphaWithoutImage, at: start) }
      return false
    }
    if isSimple {
      try setSize(frame.width, frame.height, at: start)
    } else if !coversCanvas(frame) {
      throw corrupt(.sizeMismatch, at: start)
    }
    // Without the flag, libwebp ignores ALPH. Whether a single frame has alpha does not affect its composition.
    if hasAlphaFlag { try prependAlpha() }
    try appendFrame(bytes, from: start)
    return isComplete
  }

  /// Reads an ANMF chunk up to the end of its image. Chunks after the image are read like chunks after the ANMF chunk.
  private mutating func readFrame(_ bytes: Span<UInt8>, _ chunk: ChunkHeader) throws(WebP.DecodeError) -> Bool {
    let start = offset
    let payload = start &+ ChunkHeader.byteCount
    guard chunk.size >= AnimationFrameHeader.leastSize else {
      throw corrupt(.invalidChunkSize, at: start &+ 4)
    }
    guard let header = AnimationFrameHeader(bytes, at: payload) else { return false }
    guard header.area < 1 << 32 else { throw corrupt(.frameExceedsFormat, at: payload &+ 6) }
    frame = AnimationFrame(header)
    alpha = -1
    offset = payload &+ AnimationFrameHeader.byteCount
    let imageStart = offset
    let frameEnd = Int64(start) &+ chunk.paddedSize
    let isComplete = try readImageChunks(bytes, upTo: frameEnd)
    guard Int64(offset) <= frameEnd else { throw corrupt(.imageExceedsFrame, at: imageStart) }
    if isAnimated {
      if frame.width > 0 {
        try prependAlpha()
        try appendFrame(bytes, from: start)
      } else if isComplete, alpha >= 0 {
        throw corrupt(.alphaWithoutImage, at: imageStart)
      }
    }
    // libwebp requires the bytes of one more chunk header after the header of the frame, even if the frame has no
    // image.
    return isComplete
      && min(end, Int64(bytes.count)) >= max(frameEnd, Int64(imageStart &+ ChunkHeader.byteCount))
  }

  /// Reads the chunks of an image, up to the first chunk that does not belong to it.
  ///
  /// - Parameter limit: the offset before which all chunks of the image start.
  /// - Returns: true if all bytes of the image are available.
  @inline(never)
  private mutating func readImageChunks(
    _ bytes: Span<UInt8>, upTo limit: Int64
  ) throws(WebP.DecodeError) -> Bool {
    while Int64(offset) < limit {
      guard let header = try ChunkHeader(bytes, at: offset, fileEnd: end) else { return false }
      let chunkEnd = Int64(offset) &+ header.paddedSize
      let isCut = chunkEnd > Int64(bytes.count)
      let chunk = offset..<(isCut ? bytes.count : Int(chunkEnd))
      if header.fourCC == .alph, alpha < 0 {
        alpha = offset
      } else if header.fourCC == .vp8L, alpha >= 0 {
        throw corrupt(.alphaBeforeLosslessImage, at: offset)
      } else if header.isImage, frame.width == 0 {
        do throws(WebP.DecodeError) {
          try readStream(bytes, chunk)
        } catch {
          guard isCut, error.kind == .truncated else { throw error.with(offset: offset) }
        }
      } else {
        break
      }
      if isCut { return false }
      offset = chunk.upperBound
    }
    return true
  }

  private mutating func readStream(_ bytes: Span<UInt8>, _ chunk: Range<Int>) throws(WebP.DecodeError) {
    let headers = try ImageHeaderParser(bytes.extracting(chunk), need: .headers)
    frame.bytes = chunk
    if let size = headers.size { (frame.width, frame.height) = size }
    frame.hasAlpha = headers.hasAlpha
    frame.isLossy = headers.streamType == .vp8
  }

  private mutating func prependAlpha() throws(WebP.DecodeError) {
    guard alpha >= 0 else { return }
    guard alpha < frame.bytes.lowerBound else { throw corrupt(.alphaAfterImage, at: alpha) }
    frame.bytes = alpha..<frame.bytes.upperBound
    frame.hasAlpha = true
  }

  private mutating func setSize(_ width: Int, _ height: Int, at offset: Int) throws(WebP.DecodeError) {
    guard Int64(width) &* Int64(height) <= Int64(limits.maximumPixels) else {
      throw WebP.DecodeError(.imageTooLarge, offset: offset)
    }
    (self.width, self.height) = (width, height)
  }

  /// Appends the image as the next frame, if the canvas and the limits allow it.
  @inline(never)
  private mutating func appendFrame(_ bytes: Span<UInt8>, from offset: Int) throws(WebP.DecodeError) {
    let area = frame.width &* frame.height  // both sides have at most 14 bits
    let isInTotal = area <= limits.maximumAnimationPixels - totalArea
    if frame.width <= width, frame.height <= height, isInTotal {
      guard width &* height <= limits.pixels(ofBytes: bytes.count) else {
        throw WebP.DecodeError(.imageTooLargeForFile, offset: offset)
      }
      guard totalArea &+ area <= limits.animationPixels(ofBytes: bytes.count) else {
        throw WebP.DecodeError(.animationTooLargeForFile, offset: offset)
      }
    }
    let start = frame.bytes.lowerBound
    guard frame.width <= width - frame.header.x, frame.height <= height - frame.header.y else {
      throw corrupt(.frameOutsideCanvas, at: start)
    }
    guard frames.count < limits.maximumFrames else {
      throw WebP.DecodeError(.tooManyFrames, offset: start)
    }
    guard isInTotal else {
      throw WebP.DecodeError(.animationTooLarge, offset: start)
    }
    totalArea &+= area
    if !frames.isEmpty {
      let previous = frames[frames.count - 1]
      frame.isKeyFrame =
        coversCanvas(frame) && !(frame.hasAlpha && frame.header.isBlended)
        || previous.header.isDisposed && (previous.isKeyFrame || coversCanvas(previous))
    }
    frames.append(frame)
  }

  private func coversCanvas(_ frame: AnimationFrame) -> Bool { frame.width == width && frame.height == height }
}

/// An error in the structure of the file.
private func corrupt(_ cause: ErrorCause, at offset: Int) -> WebP.DecodeError {
  WebP.DecodeError(cause, offset: offset)
}
