// The way through a file to all of its frames (RFC 9649, section 2.7), with the rules that libwebp's animation decoder
// accepts files by. They are stricter than those for a single picture in `StillHeaders`.
//
//   RIFF size WEBP ┬ VP8 · or VP8L ·                    one frame; nothing after it counts
//                  └ VP8X ┬ [ALPH ·] VP8 · or VP8L ·    one frame, of the canvas's size
//                         └ ANIM ┬ ANMF                 any number of frames
//                                └ …                    ANMF: sixteen bytes, [ALPH ·] VP8 · or VP8L ·
//
//   Other chunks may stand anywhere after VP8X, but not between ALPH and VP8.

/// Finds the frames, as far as the bytes have come.
///
/// The walk goes on where the bytes ended the last time: each byte is looked at once, whatever the pieces they come in.
/// After an error the frames before it remain, and each further call throws it again.
struct Demuxer {
  private(set) var canvas: DemuxedCanvas
  /// What the ANIM chunk says, or would.
  var animation: AnimationHeader { anim ?? AnimationHeader() }
  private(set) var isFinished = false

  private var step = Step.riff
  /// Where the next chunk starts.
  private var offset = 0
  /// Of a stream without RIFF.
  private var bareHeaders = StillHeaders()
  /// Where the RIFF chunk ends. What follows does not count.
  private var end: Int64 = .max
  private var isAnimated = false
  private var hasAlphaFlag = false
  private var anim: AnimationHeader?
  /// The reason why the next frame, whose header is available, has to wait for more bytes of the file.
  private var shortage: ErrorCause?

  private enum Step {
    case riff, firstChunk, simplePicture, chunks
  }

  init(limits: WebP.Limits) {
    canvas = DemuxedCanvas(limits)
  }

  /// Walks on as far as the bytes allow.
  ///
  /// - Parameters:
  ///   - bytes: the whole input so far; between calls it may grow at its end, until the frames are found.
  ///   - count: how many bytes have come, also behind those; nil: no others.
  ///   - isComplete: that no more bytes will come: an end too early is an error then.
  mutating func read(_ bytes: Span<UInt8>, of count: Int? = nil, isComplete: Bool) throws(WebP.DecodeError) {
    let count = count ?? bytes.count
    try canvas.limits.check(bytes: count)
    while !isFinished, try takeStep(bytes, isComplete: isComplete) {}
    if let shortage {
      guard isComplete else { return }
      let limit = canvas.limits.maximumPixelsPerByte
      throw WebP.DecodeError(shortage, value: limit, offset: offset).with(frame: nextFrame)
    } else if Int64(count) < end {
      guard isComplete else { return }
      guard step != .riff else { throw error(count == 0 ? .emptyInput : .truncatedHeaders, at: count) }
      throw error(.truncatedFile, at: count).with(frame: incompleteFrame(bytes))
    } else if !isFinished {
      throw error(.incompleteFrame, at: count).with(frame: nextFrame)
    }
  }

  /// - Returns: whether there were bytes enough to do anything.
  private mutating func takeStep(_ bytes: Span<UInt8>, isComplete: Bool) throws(WebP.DecodeError) -> Bool {
    switch step {
    case .riff: try readRIFF(bytes, isComplete: isComplete)
    case .firstChunk: try readFirstChunk(bytes)
    case .simplePicture: try readPicture(bytes, endsFile: true)
    case .chunks: try readChunk(bytes)
    }
  }

  // MARK: Headers

  private mutating func readRIFF(_ bytes: Span<UInt8>, isComplete: Bool) throws(WebP.DecodeError) -> Bool {
    guard bytes.count >= 20 else {
      guard FileFormat.mayBeWebP(bytes) else { throw FileFormat.error(for: bytes) }
      return false
    }
    if let riff = try RIFFHeader(bytes) {
      end = riff.end
      offset = RIFFHeader.byteCount
      step = .firstChunk
      return true
    }
    do {
      try bareHeaders.walk(bytes, need: .headers)
    } catch {
      guard error.kind == .truncated, !isComplete else { throw error }
    }
    guard let info = bareHeaders.info else { return false }
    try canvas.setSize(info.width, info.height, at: offset)
    // A bare stream goes on to the end of the input, so its end has to be there.
    guard isComplete else { return false }
    end = Int64(bytes.count)
    let picture = PictureChunks.Picture(bytes: 0..<bytes.count, info)
    guard mayTake(picture, bytes) else { return false }
    canvas.append(try canvas.frame(AnimationFrameHeader(), picture))
    isFinished = true
    return true
  }

  private mutating func readFirstChunk(_ bytes: Span<UInt8>) throws(WebP.DecodeError) -> Bool {
    guard let header = try ChunkHeader(bytes, at: offset, fileEnd: end) else { return false }
    switch header.fourCC {
    case .vp8, .vp8L:
      step = .simplePicture
      return true
    case .vp8X:
      return try readExtended(bytes, header)
    default:
      throw error(.invalidFirstChunk, header.fourCC, at: offset)
    }
  }

  /// Section 2.7.1, "Extended File Format".
  private mutating func readExtended(
    _ bytes: Span<UInt8>, _ header: ChunkHeader
  ) throws(WebP.DecodeError) -> Bool {
    guard let extended = try ExtendedHeader(header, bytes, at: offset) else { return false }
    let payload = offset + ChunkHeader.byteCount
    guard extended.features & ~0x3E == 0 else { throw error(.reservedFeatures, .vp8X, at: payload) }
    try canvas.setSize(extended.width, extended.height, at: offset)
    isAnimated = extended.isAnimated
    hasAlphaFlag = extended.hasAlpha
    offset = payload + ExtendedHeader.byteCount
    guard Int64(offset) < end else { throw error(.missingImage, .vp8X, at: offset) }
    step = .chunks
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
      return try readPicture(bytes, endsFile: false)
    case .anim:
      guard header.size >= AnimationHeader.leastSize else {
        throw error(.invalidChunkSize, .anim, at: offset + 4)
      }
      guard isThere(header, bytes) else { return false }
      if anim == nil { anim = AnimationHeader(bytes, at: offset + ChunkHeader.byteCount) }
    case .anmf:
      guard anim != nil else { throw error(.frameBeforeAnimation, .anmf, at: offset) }
      do {
        return try readFrame(bytes, header)
      } catch {
        throw error.with(frame: nextFrame)
      }
    default:
      guard isThere(header, bytes) else { return false }
    }
    offset += Int(header.paddedSize)
    return true
  }

  /// The picture of a file that is not animated.
  private mutating func readPicture(_ bytes: Span<UInt8>, endsFile: Bool) throws(WebP.DecodeError) -> Bool {
    let found = try PictureChunks(bytes, from: offset, upTo: end, fileEnd: end)
    guard var picture = found.picture else {
      guard !found.isComplete else { throw error(.alphaWithoutImage, .alph, at: offset) }
      return false
    }
    if endsFile {
      try canvas.setSize(picture.width, picture.height, at: offset)
    } else if picture.width != canvas.width || picture.height != canvas.height {
      throw error(.sizeMismatch, at: offset)
    }
    if let alpha = found.alpha {
      if hasAlphaFlag {
        try picture.prepend(alpha)
      } else {
        picture.hasAlpha = false
      }
    }
    let header = AnimationFrameHeader()
    guard mayTake(picture, bytes) else { return false }
    guard found.isComplete else {
      canvas.partialFrame = try canvas.frame(header, picture)
      return false
    }
    canvas.append(try canvas.frame(header, picture))
    offset = found.next
    isFinished = endsFile
    return true
  }

  /// Section 2.7.1.1: an ANMF chunk. What follows the picture in it is read as if it stood outside.
  private mutating func readFrame(
    _ bytes: Span<UInt8>, _ chunk: ChunkHeader
  ) throws(WebP.DecodeError) -> Bool {
    let payload = offset + ChunkHeader.byteCount
    guard chunk.size >= AnimationFrameHeader.byteCount - 1 else {
      throw error(.invalidChunkSize, .anmf, at: offset + 4)
    }
    guard let header = AnimationFrameHeader(bytes, at: payload) else { return false }
    guard header.area < 1 << 32 else {
      throw error(.frameExceedsFormat, .anmf, at: payload + 6)
    }
    let start = payload + AnimationFrameHeader.byteCount
    let frameEnd = Int64(offset) + chunk.paddedSize
    let found = try PictureChunks(bytes, from: start, upTo: frameEnd, fileEnd: end)
    guard Int64(found.next) <= frameEnd else {
      throw error(.imageExceedsFrame, .anmf, at: start)
    }
    if isAnimated, found.isComplete, found.picture == nil, found.alpha != nil {
      throw error(.alphaWithoutImage, .alph, at: start)
    }
    var picture = isAnimated ? found.picture : nil
    if let alpha = found.alpha { try picture?.prepend(alpha) }
    if let picture, !mayTake(picture, bytes) { return false }
    // libwebp wants a header's worth of bytes after ANMF's own, even if it holds no picture.
    guard found.isComplete, min(end, Int64(bytes.count)) >= max(frameEnd, Int64(start + ChunkHeader.byteCount)) else {
      if let picture { canvas.partialFrame = try canvas.frame(header, picture) }
      return false
    }
    if let picture { canvas.append(try canvas.frame(header, picture)) }
    offset = found.next
    return true
  }

  // MARK: Helpers

  private mutating func mayTake(_ picture: PictureChunks.Picture, _ bytes: Span<UInt8>) -> Bool {
    shortage = canvas.shortage(of: picture, ofBytes: bytes.count)
    return shortage == nil
  }

  /// The number of the frame that is being read; nil of a still picture.
  private var nextFrame: Int? { isAnimated ? canvas.frames.count : nil }

  /// The number of the frame in which the file is cut off. Nil if it is cut off in another chunk.
  private func incompleteFrame(_ bytes: Span<UInt8>) -> Int? {
    guard step == .chunks, let header = ChunkHeader(bytes, at: offset) else { return nextFrame }
    return header.fourCC == .anmf ? nextFrame : nil
  }

  /// Whether all bytes of the chunk at `offset` are available.
  private func isThere(_ header: ChunkHeader, _ bytes: Span<UInt8>) -> Bool {
    header.paddedSize <= Int64(bytes.count - offset)
  }

  private func error(_ cause: ErrorCause, _ chunk: WebP.FourCC? = nil, at offset: Int) -> WebP.DecodeError {
    WebP.DecodeError(cause, chunk: chunk, offset: offset)
  }
}
