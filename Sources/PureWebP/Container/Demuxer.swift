// The demuxer of animations (RFC 9649, section 2.7). It accepts the same files as libwebp's animation decoder. Its
// rules are stricter than the rules for a still image in `ImageHeaderParser`.
//
//     RIFF size WEBP ┬ VP8 · or VP8L ·                    one frame; later chunks are ignored
//                    └ VP8X ┬ [ALPH ·] VP8 · or VP8L ·    one frame of the canvas's size
//                           └ ANIM ┬ ANMF                 any number of frames
//                                  └ …                    ANMF: sixteen bytes, [ALPH ·] VP8 · or VP8L ·
//
// Other chunks may follow VP8X at any position, except between ALPH and VP8.

/// Finds the frames whose bytes have arrived.
///
/// Parsing resumes where the bytes ended in the last call, so each byte is read once however the input is divided.
/// After an error, the earlier frames remain, and each further call throws the same error.
struct Demuxer {
  private(set) var canvas: DemuxedCanvas
  /// The ANIM chunk, or the defaults if there is none.
  var animation: AnimationHeader { anim ?? AnimationHeader() }
  private(set) var isFinished = false

  /// The offset of the next chunk. 0 before RIFF.
  private var offset = 0
  /// The headers of a bitstream without RIFF.
  private var bareHeaders = ImageHeaderParser()
  /// The end of the RIFF chunk. Later bytes are ignored.
  private var end: Int64 = .max
  private var isAnimated = false
  private var hasAlphaFlag = false
  private var anim: AnimationHeader?
  /// The limit that defers the next frame until more bytes of the file have arrived. Nil if no frame is deferred.
  private var shortage: ErrorCause?

  init(limits: WebP.Limits) {
    canvas = DemuxedCanvas(limits)
  }

  /// Parses as far as the bytes allow.
  ///
  /// - Parameters:
  ///   - bytes: the complete input received so far. Between calls it may grow at its end until all frames are found.
  ///   - count: the number of bytes that have arrived, including bytes that are not in `bytes`. Nil if there are no
  ///     others.
  ///   - isComplete: no more bytes will arrive, so a premature end is an error.
  mutating func read(_ bytes: Span<UInt8>, of count: Int? = nil, isComplete: Bool) throws(WebP.DecodeError) {
    let count = count ?? bytes.count
    try canvas.limits.check(bytes: count)
    if try readRIFF(bytes, isComplete: isComplete), try readFirstChunk(bytes) {
      while !isFinished, try readChunk(bytes) {}
    }
    if let shortage {
      guard isComplete else { return }
      let limit = canvas.limits.maximumPixelsPerByte
      throw WebP.DecodeError(shortage, value: limit, offset: offset).with(frame: nextFrame)
    } else if Int64(count) < end {
      guard isComplete else { return }
      guard offset > 0 else { throw error(count == 0 ? .emptyInput : .truncatedHeaders, at: count) }
      throw error(.truncatedFile, at: count).with(frame: incompleteFrame(bytes))
    } else if !isFinished {
      throw error(.incompleteFrame, at: count).with(frame: nextFrame)
    }
  }

  // MARK: Headers

  /// - Returns: true if chunks follow. False if more bytes are needed, or if the file is a bare bitstream.
  private mutating func readRIFF(_ bytes: Span<UInt8>, isComplete: Bool) throws(WebP.DecodeError) -> Bool {
    if offset > 0 { return true }
    guard bytes.count >= 20 else {
      guard FileFormat.mayBeWebP(bytes) else { throw FileFormat.error(for: bytes) }
      return false
    }
    if let riff = try RIFFHeader(bytes) {
      end = riff.end
      offset = RIFFHeader.byteCount
      return true
    }
    do {
      try bareHeaders.parse(bytes, need: .headers)
    } catch {
      guard error.kind == .truncated, !isComplete else { throw error }
    }
    guard let info = bareHeaders.info else { return false }
    try canvas.setSize(info.width, info.height, at: offset)
    // A bare bitstream extends to the end of the input, so the end must be known.
    if isComplete {
      end = Int64(bytes.count)
      let image = ImageChunks.Image(bytes: 0..<bytes.count, info)
      isFinished = try take(AnimationFrameHeader(), image, isComplete: true, bytes)
    }
    return false
  }

  /// - Returns: false if more bytes are needed.
  private mutating func readFirstChunk(_ bytes: Span<UInt8>) throws(WebP.DecodeError) -> Bool {
    if offset > RIFFHeader.byteCount { return true }
    guard let header = try ChunkHeader(bytes, at: offset, fileEnd: end) else { return false }
    switch header.fourCC {
    case .vp8, .vp8L: return try readImage(bytes, endsFile: true)
    case .vp8X: return try readExtended(bytes, header)
    default: throw error(.invalidFirstChunk, header.fourCC, at: offset)
    }
  }

  /// Reads the VP8X chunk (section 2.7).
  private mutating func readExtended(
    _ bytes: Span<UInt8>, _ header: ChunkHeader
  ) throws(WebP.DecodeError) -> Bool {
    guard let extended = try ExtendedHeader(header, bytes, at: offset) else { return false }
    let payload = offset + ChunkHeader.byteCount
    guard !extended.hasReservedFeatures else { throw error(.reservedFeatures, .vp8X, at: payload) }
    try canvas.setSize(extended.width, extended.height, at: offset)
    isAnimated = extended.isAnimated
    hasAlphaFlag = extended.hasAlpha
    offset = payload + ExtendedHeader.byteCount
    guard Int64(offset) < end else { throw error(.missingImage, .vp8X, at: offset) }
    return true
  }

  // MARK: Chunks

  private mutating func readChunk(_ bytes: Span<UInt8>) throws(WebP.DecodeError) -> Bool {
    if Int64(offset) == end {
      guard !canvas.frames.isEmpty else { throw error(.missingImage, at: offset) }
      isFinished = true
      return true
    }
    guard let header = try ChunkHeader(bytes, at: offset, fileEnd: end) else { return false }
    switch header.fourCC {
    case .vp8X:
      throw error(.duplicateExtendedHeader, .vp8X, at: offset)
    case .alph, .vp8, .vp8L:
      guard !isAnimated, anim == nil else {
        throw error(.imageOutsideFrame, header.fourCC, at: offset)
      }
      guard canvas.frames.isEmpty else { throw error(.duplicateImage, header.fourCC, at: offset) }
      return try readImage(bytes, endsFile: false)
    case .anim:
      guard header.size >= AnimationHeader.leastSize else {
        throw error(.invalidChunkSize, .anim, at: offset + 4)
      }
      guard isAvailable(header, bytes) else { return false }
      if anim == nil { anim = AnimationHeader(bytes, at: offset + ChunkHeader.byteCount) }
    case .anmf:
      guard anim != nil else { throw error(.frameBeforeAnimation, .anmf, at: offset) }
      do {
        return try readFrame(bytes, header)
      } catch {
        throw error.with(frame: nextFrame)
      }
    default:
      guard isAvailable(header, bytes) else { return false }
    }
    offset += Int(header.paddedSize)
    return true
  }

  /// Reads the image of a file that is not animated.
  private mutating func readImage(_ bytes: Span<UInt8>, endsFile: Bool) throws(WebP.DecodeError) -> Bool {
    let found = try ImageChunks(bytes, from: offset, upTo: end, fileEnd: end)
    guard var image = found.image else {
      guard !found.isComplete else { throw error(.alphaWithoutImage, .alph, at: offset) }
      return false
    }
    if endsFile {
      try canvas.setSize(image.width, image.height, at: offset)
    } else if image.width != canvas.width || image.height != canvas.height {
      throw error(.sizeMismatch, at: offset)
    }
    if let alpha = found.alpha {
      if hasAlphaFlag {
        try image.prepend(alpha)
      } else {
        image.hasAlpha = false
      }
    }
    guard try take(AnimationFrameHeader(), image, isComplete: found.isComplete, bytes) else { return false }
    offset = found.next
    isFinished = endsFile
    return true
  }

  /// Reads an ANMF chunk (section 2.7.1.1) up to the end of its image. Chunks after the image are read like chunks
  /// after the ANMF chunk.
  private mutating func readFrame(
    _ bytes: Span<UInt8>, _ chunk: ChunkHeader
  ) throws(WebP.DecodeError) -> Bool {
    let payload = offset + ChunkHeader.byteCount
    guard chunk.size >= AnimationFrameHeader.leastSize else {
      throw error(.invalidChunkSize, .anmf, at: offset + 4)
    }
    guard let header = AnimationFrameHeader(bytes, at: payload) else { return false }
    guard header.area < 1 << 32 else {
      throw error(.frameExceedsFormat, .anmf, at: payload + 6)
    }
    let start = payload + AnimationFrameHeader.byteCount
    let frameEnd = Int64(offset) + chunk.paddedSize
    let found = try ImageChunks(bytes, from: start, upTo: frameEnd, fileEnd: end)
    guard Int64(found.next) <= frameEnd else {
      throw error(.imageExceedsFrame, .anmf, at: start)
    }
    if isAnimated, found.isComplete, found.image == nil, found.alpha != nil {
      throw error(.alphaWithoutImage, .alph, at: start)
    }
    var image = isAnimated ? found.image : nil
    if let alpha = found.alpha { try image?.prepend(alpha) }
    // libwebp requires the bytes of one more chunk header after the header of the frame, even if the frame has no
    // image.
    let needed = max(frameEnd, Int64(start + ChunkHeader.byteCount))
    let isComplete = found.isComplete && min(end, Int64(bytes.count)) >= needed
    if let image { _ = try take(header, image, isComplete: isComplete, bytes) }
    guard isComplete, shortage == nil else { return false }
    offset = found.next
    return true
  }

  // MARK: Helpers

  /// Takes an image as the next frame, or as the available part of it.
  ///
  /// - Returns: false if the frame is incomplete, or has to wait for more bytes of the file.
  private mutating func take(
    _ header: AnimationFrameHeader, _ image: ImageChunks.Image, isComplete: Bool, _ bytes: Span<UInt8>
  ) throws(WebP.DecodeError) -> Bool {
    shortage = canvas.shortage(of: image, ofBytes: bytes.count)
    guard shortage == nil else { return false }
    let frame = try canvas.frame(header, image)
    if isComplete { canvas.append(frame) } else { canvas.partialFrame = frame }
    return isComplete
  }

  /// The index of the frame that is being read. Nil for a still image.
  private var nextFrame: Int? { isAnimated ? canvas.frames.count : nil }

  /// The index of the frame in which the file is truncated. Nil if it is truncated in another chunk.
  private func incompleteFrame(_ bytes: Span<UInt8>) -> Int? {
    guard let header = ChunkHeader(bytes, at: offset) else { return nextFrame }
    return header.fourCC == .anmf ? nextFrame : nil
  }

  /// Returns whether all bytes of the chunk at `offset` are available.
  private func isAvailable(_ header: ChunkHeader, _ bytes: Span<UInt8>) -> Bool {
    header.paddedSize <= Int64(bytes.count - offset)
  }

  private func error(_ cause: ErrorCause, _ chunk: WebP.FourCC? = nil, at offset: Int) -> WebP.DecodeError {
    WebP.DecodeError(cause, chunk: chunk, offset: offset)
  }
}
