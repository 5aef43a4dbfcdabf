// The demuxer of animations (RFC 9649, section 2.7). It accepts the same files as libwebp's animation decoder. Its
// rules are stricter than the rules for a still image in `ImageHeaderParser`.
//
//     RIFF size WEBP ┬ VP8 · or VP8L ·                    one frame; later chunks are ignored
//                    └ VP8X ┬ [ALPH ·] VP8 · or VP8L ·    one frame of the canvas's size
//                           └ ANIM ┬ ANMF                 any number of frames
//                                  └ …                    ANMF: sixteen bytes, [ALPH ·] VP8 · or VP8L ·
//
// Other chunks may follow VP8X at any position, except between ALPH and VP8.

/// Finds the frames whose bytes have arrived. Its owner takes them from `newFrames` after each call.
///
/// Parsing resumes where the bytes ended in the last call, so each byte is read once however the input is divided.
/// After an error, each further call throws the same error.
public struct Demuxer: Sendable {
  /// The width of the canvas, in pixels. 0 until it is known.
  public private(set) var width = 0
  /// The height of the canvas, in pixels. 0 until it is known.
  public private(set) var height = 0
  /// The frames that the last call has found, also if it threw an error.
  public private(set) var newFrames: [DemuxedFrame] = []
  /// The number of all frames that have been found.
  public private(set) var frameCount = 0
  /// The next frame, if the header of its image is available. Its `bytes` end where the input ends so far.
  public private(set) var partialFrame: DemuxedFrame?
  /// The ANIM chunk, or the defaults if there is none.
  public var animation: AnimationHeader { anim ?? AnimationHeader() }
  public private(set) var isFinished = false

  private let limits: FormatLimits
  /// The end of the last frame's display time, in milliseconds.
  private var displayEnd = 0
  /// Indicates whether the canvas is transparent before the next frame.
  private var isCanvasEmpty = true
  /// The area of all frames, in pixels.
  private var totalArea = 0

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

  public init(limits: FormatLimits) { self.limits = limits }

  /// Parses as far as the bytes allow.
  ///
  /// - Parameters:
  ///   - bytes: the complete input received so far. Between calls it may grow at its end until all frames are found.
  ///   - count: the number of bytes that have arrived, including bytes that are not in `bytes`. Nil if there are no
  ///     others.
  ///   - isComplete: no more bytes will arrive, so a premature end is an error.
  public mutating func read(_ bytes: Span<UInt8>, of count: Int? = nil, isComplete: Bool) throws(FormatError) {
    newFrames = []
    let count = count ?? bytes.count
    try limits.check(bytes: count)
    if try readRIFF(bytes, isComplete: isComplete), try readFirstChunk(bytes) {
      while !isFinished, try readChunk(bytes) {}
    }
    if let shortage {
      guard isComplete else { return }
      let limit = limits.maximumPixelsPerByte
      throw FormatError(shortage, value: limit, offset: offset).with(frame: nextFrame)
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
  private mutating func readRIFF(_ bytes: Span<UInt8>, isComplete: Bool) throws(FormatError) -> Bool {
    if offset > 0 { return true }
    guard bytes.count >= 20 else {
      guard OtherFormat.mayBeWebP(bytes) else { throw OtherFormat.error(for: bytes) }
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
    guard let image = ImageChunks.Image(bytes: 0..<bytes.count, bareHeaders) else { return false }
    try setSize(image.width, image.height, at: offset)
    // A bare bitstream extends to the end of the input, so the end must be known.
    if isComplete {
      end = Int64(bytes.count)
      isFinished = try take(DemuxedFrame(image), isComplete: true, bytes)
    }
    return false
  }

  /// - Returns: false if more bytes are needed.
  private mutating func readFirstChunk(_ bytes: Span<UInt8>) throws(FormatError) -> Bool {
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
  ) throws(FormatError) -> Bool {
    guard let extended = try ExtendedHeader(header, bytes, at: offset) else { return false }
    let payload = offset &+ ChunkHeader.byteCount
    guard !extended.hasReservedFeatures else { throw error(.reservedFeatures, .vp8X, at: payload) }
    try setSize(extended.width, extended.height, at: offset)
    isAnimated = extended.isAnimated
    hasAlphaFlag = extended.hasAlpha
    offset = payload &+ ExtendedHeader.byteCount
    guard Int64(offset) < end else { throw error(.missingImage, .vp8X, at: offset) }
    return true
  }

  // MARK: Chunks

  private mutating func readChunk(_ bytes: Span<UInt8>) throws(FormatError) -> Bool {
    if Int64(offset) == end {
      guard frameCount > 0 else { throw error(.missingImage, at: offset) }
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
      guard frameCount == 0 else { throw error(.duplicateImage, header.fourCC, at: offset) }
      return try readImage(bytes, endsFile: false)
    case .anim:
      guard header.size >= AnimationHeader.leastSize else {
        throw error(.invalidChunkSize, .anim, at: offset &+ 4)
      }
      guard isAvailable(header, bytes) else { return false }
      if anim == nil { anim = AnimationHeader(bytes, at: offset &+ ChunkHeader.byteCount) }
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
    offset &+= Int(header.paddedSize)
    return true
  }

  /// Reads the image of a file that is not animated.
  private mutating func readImage(_ bytes: Span<UInt8>, endsFile: Bool) throws(FormatError) -> Bool {
    let found = try ImageChunks(bytes, from: offset, upTo: end, fileEnd: end)
    guard var image = found.image else {
      guard !found.isComplete else { throw error(.alphaWithoutImage, .alph, at: offset) }
      return false
    }
    if endsFile {
      try setSize(image.width, image.height, at: offset)
    } else if image.width != width || image.height != height {
      throw error(.sizeMismatch, at: offset)
    }
    if let alpha = found.alpha {
      if hasAlphaFlag {
        try image.prepend(alpha)
      } else {
        image.hasAlpha = false
      }
    }
    let frame = DemuxedFrame(image)
    guard try take(frame, isComplete: found.isComplete, bytes) else { return false }
    offset = found.next
    isFinished = endsFile
    return true
  }

  /// Reads an ANMF chunk (section 2.7.1.1) up to the end of its image. Chunks after the image are read like chunks
  /// after the ANMF chunk.
  private mutating func readFrame(
    _ bytes: Span<UInt8>, _ chunk: ChunkHeader
  ) throws(FormatError) -> Bool {
    let payload = offset &+ ChunkHeader.byteCount
    guard chunk.size >= AnimationFrameHeader.leastSize else {
      throw error(.invalidChunkSize, .anmf, at: offset &+ 4)
    }
    guard let header = AnimationFrameHeader(bytes, at: payload) else { return false }
    guard header.area < 1 << 32 else {
      throw error(.frameExceedsFormat, .anmf, at: payload &+ 6)
    }
    let start = payload &+ AnimationFrameHeader.byteCount
    let frameEnd = Int64(offset) &+ chunk.paddedSize
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
    let needed = max(frameEnd, Int64(start &+ ChunkHeader.byteCount))
    let isComplete = found.isComplete && min(end, Int64(bytes.count)) >= needed
    if let image { _ = try take(DemuxedFrame(header, image), isComplete: isComplete, bytes) }
    guard isComplete, shortage == nil else { return false }
    offset = found.next
    return true
  }

  // MARK: Frames

  /// Takes the next frame, or the available part of it.
  ///
  /// - Returns: false if the frame is incomplete, or has to wait for more bytes of the file.
  private mutating func take(
    _ frame: DemuxedFrame, isComplete: Bool, _ bytes: Span<UInt8>
  ) throws(FormatError) -> Bool {
    shortage = shortage(of: frame, ofBytes: bytes.count)
    guard shortage == nil else { return false }
    try check(frame)
    var frame = frame
    let coversCanvas = frame.width == width && frame.height == height
    frame.displayStart = displayEnd
    frame.isKeyFrame = isCanvasEmpty || coversCanvas && !(frame.hasAlpha && frame.isBlended)
    guard isComplete else {
      partialFrame = frame
      return false
    }
    totalArea &+= frame.area
    frameCount &+= 1
    displayEnd = frame.displayEnd
    isCanvasEmpty = frame.isDisposed && (frame.isKeyFrame || coversCanvas)
    partialFrame = nil
    newFrames.append(frame)
    return true
  }

  /// - Parameter offset: the position of the size in the file.
  private mutating func setSize(_ width: Int, _ height: Int, at offset: Int) throws(FormatError) {
    guard width <= limits.maximumPixels / height else {
      throw FormatError(.imageTooLarge, value: limits.maximumPixels, offset: offset)
    }
    (self.width, self.height) = (width, height)
  }

  /// The limit that a frame would exceed if the file had only `count` bytes. The frame is deferred, because more bytes
  /// raise this limit. Nil if the limits already allow the pixels of the frame and of the canvas.
  private func shortage(of frame: DemuxedFrame, ofBytes count: Int) -> ErrorCause? {
    // `check` throws the errors that do not depend on the number of bytes.
    guard frame.width <= width, frame.height <= height, frame.area <= limits.maximumAnimationPixels &- totalArea else {
      return nil
    }
    if width > limits.pixels(ofBytes: count) / height { return .imageTooLargeForFile }
    return frame.area > limits.animationPixels(ofBytes: count) &- totalArea ? .animationTooLargeForFile : nil
  }

  private func check(_ frame: DemuxedFrame) throws(FormatError) {
    let start = frame.bytes.lowerBound
    // Like libwebp, compares the size in the image's header rather than the size in the ANMF chunk.
    guard frame.width <= width &- frame.x, frame.height <= height &- frame.y else {
      throw FormatError(.frameOutsideCanvas, chunk: .anmf, offset: start)
    }
    guard frameCount < limits.maximumFrames else {
      throw FormatError(.tooManyFrames, value: limits.maximumFrames, chunk: .anmf, offset: start)
    }
    guard frame.area <= limits.maximumAnimationPixels &- totalArea else {
      throw FormatError(.animationTooLarge, value: limits.maximumAnimationPixels, chunk: .anmf, offset: start)
    }
  }

  /// The index of the frame that is being read. Nil for a still image.
  private var nextFrame: Int? { isAnimated ? frameCount : nil }

  /// The index of the frame in which the file is truncated. Nil if it is truncated in another chunk.
  private func incompleteFrame(_ bytes: Span<UInt8>) -> Int? {
    guard let header = ChunkHeader(bytes, at: offset) else { return nextFrame }
    return header.fourCC == .anmf ? nextFrame : nil
  }

  /// Returns whether all bytes of the chunk at `offset` are available.
  private func isAvailable(_ header: ChunkHeader, _ bytes: Span<UInt8>) -> Bool {
    header.paddedSize <= Int64(bytes.count &- offset)
  }

  private func error(_ cause: ErrorCause, _ chunk: FourCC = .none, at offset: Int) -> FormatError {
    FormatError(cause, chunk: chunk, offset: offset)
  }
}
