// The chunks and frames of a file, as WebPDemux reports them: also of files that are incomplete, and with positions of
// chunks. `Demuxer` of WebPFormat finds the frames that an animation decoder can show, and describes errors instead.
//
//     RIFF size WEBP ┬ VP8 · or VP8L ·
//                    └ VP8X ┬ [ALPH ·] VP8 · or VP8L ·
//                           └ ANIM ┬ ANMF        sixteen bytes, [ALPH ·] VP8 · or VP8L ·
//                                  └ …

internal import CWebP
internal import WebPFormat

struct FileDemuxer {
  struct Frame {
    /// From 1 on. 0 if no chunk of the image is available.
    var number = 0
    var x = 0
    var y = 0
    var width = 0
    var height = 0
    var duration = 0
    var isBlended = true
    var isDisposed = false
    var hasAlpha = false
    /// All bytes of the image are available.
    var isComplete = false
    /// The available bytes of the chunks. Empty without such a chunk.
    var image = 0..<0
    var alpha = 0..<0

    /// The available bytes of both chunks.
    var bytes: Range<Int> {
      if alpha.isEmpty { return image }
      return alpha.lowerBound..<(image.lowerBound > 0 ? image.upperBound : alpha.upperBound)
    }

    mutating func set(_ features: WebPBitstreamFeatures, number: Int, image: Range<Int>, isComplete: Bool) {
      (width, height) = (Int(features.width), Int(features.height))
      if features.has_alpha != 0 { hasAlpha = true }
      (self.number, self.image, self.isComplete) = (number, image, isComplete)
    }
  }

  enum State { case invalid, readingHeader, hasHeader, finished }

  /// `unknown` is for a first chunk of another kind. `rejected` is for an invalid chunk. `invalid` is for an invalid
  /// image or frame, which libwebp takes for an incomplete one if hardly any bytes follow.
  private enum Outcome { case parsed, needsMore, invalid, rejected, unknown }

  private(set) var state = State.readingHeader
  /// The file is invalid. libwebp reports the state of a file with another first chunk as `readingHeader`.
  private(set) var isRejected = false
  /// The flags of the VP8X chunk. Without that chunk, the alpha flag if the image has alpha.
  private(set) var flags: UInt8 = 0
  /// The size of the canvas, in pixels. −1 until it is known.
  private(set) var width = -1
  private(set) var height = -1
  private(set) var animation = AnimationHeader()
  private(set) var frames: ContiguousArray<Frame> = []
  /// The chunks that belong to no image, with their headers and without padding. Chunks with metadata only if their
  /// flag is set.
  private(set) var chunks: ContiguousArray<Range<Int>> = []

  private var hasExtendedHeader = false
  private var hasAnimationHeader = false
  private var offset = 0
  /// The end of the RIFF chunk, which may be after the last available byte.
  private var end = 0

  private var isAnimated: Bool { flags & 0x02 != 0 }

  /// Parses a file. The caller must not use the result if `isRejected`.
  ///
  /// - Parameter allowsPartial: whether more bytes may arrive.
  /// - Returns: nil if the file is incomplete, and has to be complete or has no complete RIFF header.
  init?(_ bytes: Span<UInt8>, allowsPartial: Bool) {
    guard bytes.count >= RIFFHeader.byteCount + ChunkHeader.byteCount else { return nil }
    guard let riff = ChunkHeader(bytes, at: 0), riff.fourCC == .riff, 8...ChunkHeader.maximumSize ~= riff.size,
      bytes.littleEndian32(at: ChunkHeader.byteCount) == FourCC.webp.rawValue
    else {
      guard readBareImage(bytes) else { return nil }
      return
    }
    offset = RIFFHeader.byteCount
    end = ChunkHeader.byteCount + Int(riff.size)
    let isPartial = bytes.count < end
    if isPartial, !allowsPartial { return nil }
    parse(bytes.extracting(first: end), isPartial: isPartial)
  }

  private mutating func parse(_ bytes: Span<UInt8>, isPartial: Bool) {
    // A RIFF chunk of eight bytes has only a part of the first header.
    let tag = offset + 4 <= bytes.count ? FourCC(rawValue: bytes.littleEndian32(at: offset)) : .none
    let outcome: Outcome =
      switch tag {
      case .vp8, .vp8L: readStillImage(bytes)
      case .vp8X: readExtendedFile(bytes)
      default: .unknown
      }
    if outcome == .parsed { state = .finished }
    let isIncomplete = outcome == .needsMore && !isPartial
    isRejected = outcome == .invalid || outcome == .unknown || isIncomplete || !isValid
    if isRejected, outcome != .unknown { state = .invalid }
  }

  /// - Returns: false if the headers end too early.
  private mutating func readBareImage(_ bytes: Span<UInt8>) -> Bool {
    var features = WebPBitstreamFeatures()
    let status = readFeatures(bytes, &features)
    if status == VP8_STATUS_NOT_ENOUGH_DATA { return false }
    isRejected = status != VP8_STATUS_OK
    state = isRejected ? .invalid : .finished
    (width, height) = (Int(features.width), Int(features.height))
    if features.has_alpha != 0 { flags = 0x10 }
    var frame = Frame()
    frame.set(features, number: 1, image: 0..<bytes.count, isComplete: true)
    frames.append(frame)
    return true
  }

  // MARK: Chunks

  private mutating func readExtendedFile(_ bytes: Span<UInt8>) -> Outcome {
    guard let header = ChunkHeader(bytes, at: offset) else { return .needsMore }
    hasExtendedHeader = true
    let next = offset + Int(header.paddedSize)
    // Unlike the decoder, libwebp's demuxer accepts a longer chunk.
    guard header.size <= ChunkHeader.maximumSize, header.size >= Int64(ExtendedHeader.byteCount), next <= end else {
      return .invalid
    }
    guard next <= bytes.count else { return .needsMore }
    let payload = offset + ChunkHeader.byteCount
    flags = bytes[payload]
    (width, height) = (1 + bytes.littleEndian24(at: payload + 4), 1 + bytes.littleEndian24(at: payload + 7))
    guard width * height < 1 << 32 else { return .invalid }
    offset = next
    state = .hasHeader
    guard offset + ChunkHeader.byteCount <= end else { return .invalid }
    var outcome = Outcome.parsed
    while outcome == .parsed {
      guard let header = ChunkHeader(bytes, at: offset) else { return .needsMore }
      guard header.size <= ChunkHeader.maximumSize, offset + Int(header.paddedSize) <= end else { return .invalid }
      outcome = readChunk(header, bytes)
      if outcome == .rejected { return .invalid }
      if offset == end { break }
      if bytes.count - offset < ChunkHeader.byteCount { outcome = .needsMore }
    }
    return outcome
  }

  private mutating func readChunk(_ header: ChunkHeader, _ bytes: Span<UInt8>) -> Outcome {
    var isStored = true
    switch header.fourCC {
    case .vp8X: return .rejected
    case .alph, .vp8, .vp8L:
      return hasAnimationHeader || isAnimated ? .rejected : readStillImage(bytes)
    case .anim:
      guard header.size >= AnimationHeader.leastSize else { return .rejected }
      guard offset + Int(header.paddedSize) <= bytes.count else { return .needsMore }
      guard let animation = AnimationHeader(bytes, at: offset + ChunkHeader.byteCount) else { return .needsMore }
      if !hasAnimationHeader { (self.animation, hasAnimationHeader) = (animation, true) }
      isStored = false
    case .anmf:
      return hasAnimationHeader ? readFrame(header, bytes) : .rejected
    case .iccp: isStored = flags & 0x20 != 0
    case .exif: isStored = flags & 0x08 != 0
    case .xmp: isStored = flags & 0x04 != 0
    default: break
    }
    let next = offset + Int(header.paddedSize)
    guard next <= bytes.count else { return .needsMore }
    if isStored { chunks.append(offset..<offset + ChunkHeader.byteCount + Int(header.size)) }
    offset = next
    return .parsed
  }

  // MARK: Frames

  private mutating func readStillImage(_ bytes: Span<UInt8>) -> Outcome {
    guard frames.isEmpty, offset + ChunkHeader.byteCount <= end else { return .invalid }
    var frame = Frame()
    let outcome = readImage(of: &frame, number: 1, atLeast: 0, bytes)
    guard outcome != .invalid else { return .invalid }
    if flags & 0x10 == 0, !frame.alpha.isEmpty { (frame.alpha, frame.hasAlpha) = (0..<0, false) }
    if !hasExtendedHeader, frame.width > 0, frame.height > 0 {
      state = .hasHeader
      (width, height) = (frame.width, frame.height)
      if frame.hasAlpha { flags |= 0x10 }
    }
    frames.append(frame)
    return outcome
  }

  private mutating func readFrame(_ chunk: ChunkHeader, _ bytes: Span<UInt8>) -> Outcome {
    let payload = offset + ChunkHeader.byteCount
    let next = offset + Int(chunk.paddedSize)
    offset = payload
    guard payload + AnimationFrameHeader.byteCount <= min(end, next) else { return .invalid }
    guard let header = AnimationFrameHeader(bytes, at: payload) else { return .needsMore }
    guard header.area < 1 << 32 else { return .invalid }
    var frame = Frame(
      x: header.x, y: header.y, width: 1 + bytes.littleEndian24(at: payload + 6),
      height: 1 + bytes.littleEndian24(at: payload + 9), duration: header.duration, isBlended: header.isBlended,
      isDisposed: header.isDisposed)
    offset = payload + AnimationFrameHeader.byteCount
    let outcome = readImage(of: &frame, number: frames.count + 1, atLeast: next - offset, bytes)
    guard outcome != .invalid, offset <= next else { return .invalid }
    if isAnimated, frame.number > 0 { frames.append(frame) }
    return outcome
  }

  /// Reads the chunks of an image: ALPH, VP8 and VP8L, up to another chunk.
  ///
  /// - Parameter count: the number of bytes that must be available.
  private mutating func readImage(
    of frame: inout Frame, number: Int, atLeast count: Int, _ bytes: Span<UInt8>
  ) -> Outcome {
    guard bytes.count - offset >= count else { return .needsMore }
    var outcome = Outcome.parsed
    while outcome == .parsed {
      guard let header = ChunkHeader(bytes, at: offset) else { return .needsMore }
      let (start, next) = (offset, offset + Int(header.paddedSize))
      offset += ChunkHeader.byteCount
      guard header.size <= ChunkHeader.maximumSize, next <= end else { return .invalid }
      if next > bytes.count { outcome = .needsMore }
      let chunk = start..<min(next, bytes.count)
      switch header.fourCC {
      case .alph where frame.alpha.isEmpty:
        (frame.alpha, frame.hasAlpha, frame.number) = (chunk, true, number)
      case .vp8L where !frame.alpha.isEmpty:
        return .invalid
      case .vp8 where frame.image.isEmpty, .vp8L where frame.image.isEmpty:
        var features = WebPBitstreamFeatures()
        let status = readFeatures(bytes.extracting(chunk), &features)
        if status == VP8_STATUS_NOT_ENOUGH_DATA, outcome == .needsMore { return .needsMore }
        guard status == VP8_STATUS_OK else { return .invalid }
        frame.set(features, number: number, image: chunk, isComplete: outcome == .parsed)
      default:
        offset = start
        return outcome
      }
      offset = chunk.upperBound
      if offset == end { break }
    }
    return outcome
  }

  // MARK: Rules

  /// Indicates whether the properties that are known so far may belong to a valid file.
  private var isValid: Bool {
    if state == .readingHeader { return true }
    guard width > 0, height > 0, state != .finished || !frames.isEmpty else { return false }
    if !hasExtendedHeader { return frames.first.map { $0.width > 0 && $0.height > 0 } ?? false }
    return flags & ~0x3E == 0 && frames.indices.allSatisfy { isValidFrame($0) }
  }

  private func isValidFrame(_ index: Int) -> Bool {
    let frame = frames[index]
    if !isAnimated, frame.number > 1 { return false }
    // ALPH must precede the image.
    let isImageKnown = frame.isComplete || !frame.image.isEmpty
    if !frame.alpha.isEmpty, isImageKnown, frame.alpha.lowerBound > frame.image.lowerBound { return false }
    let hasSize = frame.width > 0 && frame.height > 0
    let hasBytes = !frame.image.isEmpty || !frame.alpha.isEmpty
    guard frame.isComplete ? hasSize && hasBytes : state != .finished && index == frames.count - 1 else { return false }
    guard hasSize else { return true }
    if isAnimated { return frame.x + frame.width <= width && frame.y + frame.height <= height }
    return frame.x == 0 && frame.y == 0 && frame.width == width && frame.height == height
  }

  /// Returns the number of chunks with this FourCC, and the range of one of them.
  ///
  /// - Parameter number: from 1 on. 0 is the number of the last one.
  func chunk(_ name: FourCC, _ number: Int, _ bytes: Span<UInt8>) -> (count: Int, number: Int, range: Range<Int>)? {
    // Without an array, because its allocation could fail.
    var (count, range) = (0, 0..<0)
    for chunk in chunks where bytes.littleEndian32(at: chunk.lowerBound) == name.rawValue {
      count += 1
      if count == number || number == 0 { range = chunk }
    }
    return range.isEmpty ? nil : (count, number == 0 ? count : number, range)
  }
}
