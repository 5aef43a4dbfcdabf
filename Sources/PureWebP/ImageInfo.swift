internal import WebPFormat

extension WebP {
  /// The properties of a file that its headers specify, so that no pixels need to be decoded.
  public struct ImageInfo: Hashable, Sendable {
    /// The compression of an image's colors.
    @nonexhaustive
    public enum Compression: Hashable, Sendable {
      /// VP8 (RFC 6386).
      case lossy
      /// VP8L (RFC 9649, section 3).
      case lossless
      /// The compression of an animation, whose frames may differ, or of a file that ends before its image.
      case unspecified
    }

    /// The width of the canvas, in pixels.
    public let width: Int
    /// The height of the canvas, in pixels.
    public let height: Int
    /// Indicates whether the image may have pixels that are not opaque, according to the headers.
    /// A lossless image may have such pixels even if its header indicates none. The canvas of an animation may also
    /// have areas that no frame covers.
    public let hasAlpha: Bool
    /// Indicates whether the file is an animation.
    public let isAnimated: Bool
    /// The compression of a still image.
    public let compression: Compression
    /// The number of frames of an animation in the given bytes. 1 for a still image.
    public internal(set) var frameCount = 1
    /// The number of times that the animation is to be shown. 0 means forever. The default is 1.
    public internal(set) var loopCount = 1
    /// The sum of the durations that the file stores for the counted frames, in milliseconds. 0 for a still image.
    public internal(set) var storedMilliseconds = 0
    /// The time for which browsers show the counted frames once, in milliseconds. See
    /// ``WebP/Animation/FrameInfo/displayMilliseconds``. 0 for a still image.
    public internal(set) var displayMilliseconds = 0
    /// Indicates whether the given bytes contain an ICC profile. See ``WebP/Metadata``.
    public internal(set) var hasICC = false
    /// Indicates whether the given bytes contain Exif.
    public internal(set) var hasExif = false
    /// Indicates whether the given bytes contain XMP.
    public internal(set) var hasXMP = false
    /// Indicates whether the given bytes contain all chunks of the file. If not, later chunks may have more frames, and
    /// metadata: see ``WebP/PrefixInfo``.
    public internal(set) var isComplete = true
  }
}

extension WebP.ImageInfo {
  /// Indicates whether the still image, or the canvas after the first frame, may have pixels that are not opaque.
  package var mayBeTransparent: Bool { hasAlpha || isAnimated }
}

extension WebP.ImageInfo {
  /// Counts the frames and finds the metadata chunks, by the same rules as `Demuxer`.
  ///
  /// - Returns: whether the properties of the animation have been found.
  @discardableResult
  mutating func readChunks(_ bytes: Span<UInt8>) -> Bool {
    guard var chunks = ChunkIterator(file: bytes) else { return false }
    isComplete = RIFFHeader.uncheckedEnd(bytes).map { $0 <= Int64(bytes.count) } ?? true
    if isAnimated { frameCount = 0 }
    let isExtended = ChunkHeader(bytes, at: 12)?.fourCC == .vp8X
    var animation: AnimationHeader?
    /// The end of the current frame, including padding, while its image has not been found. Otherwise 0.
    var frameEnd = 0
    var duration = 0
    while let (fourCC, payload) = chunks.next(bytes) {
      switch fourCC {
      case .iccp: (hasICC, frameEnd) = (true, 0)
      case .exif: (hasExif, frameEnd) = (true, 0)
      case .xmp: (hasXMP, frameEnd) = (true, 0)
      case .anim where isExtended && animation == nil && payload.count >= AnimationHeader.leastSize:
        animation = AnimationHeader(bytes, at: payload.lowerBound)
      case .anmf where isAnimated && animation != nil:
        frameEnd = payload.upperBound + payload.count & 1
        duration = AnimationFrameHeader(bytes, at: payload.lowerBound)?.duration ?? 0
      case .vp8, .vp8L:
        if payload.upperBound <= frameEnd { addFrame(duration) }
        frameEnd = 0
      case .alph: break
      default: frameEnd = 0
      }
    }
    if let animation { loopCount = animation.loopCount }
    return animation != nil
  }

  private mutating func addFrame(_ duration: Int) {
    frameCount += 1
    // The sum may exceed an `Int` of 32 bits.
    storedMilliseconds = Int(clamping: Int64(storedMilliseconds) + Int64(duration))
    displayMilliseconds = Int(
      clamping: Int64(displayMilliseconds) + Int64(AnimationFrameHeader.displayDuration(duration)))
  }
}

/// Iterates leniently over the chunks of a file (RFC 9649, section 2.3). The iteration ends at a chunk that exceeds the
/// file.
///
/// Chunks in an ANMF chunk (section 2.7.1.1) are returned after it, as in `Demuxer`.
///
/// Used to read information that does not require a valid file. `Demuxer` and `ImageHeaderParser` find the images.
private struct ChunkIterator {
  private var offset: Int64
  private let end: Int64

  /// Iterates over a complete file. Nil if it is not a WebP file.
  init?(file bytes: Span<UInt8>) {
    guard let riffEnd = RIFFHeader.uncheckedEnd(bytes) else { return nil }
    offset = Int64(RIFFHeader.byteCount)
    end = min(Int64(bytes.count), riffEnd)
  }

  /// The FourCC and the payload of the next chunk.
  mutating func next(_ bytes: Span<UInt8>) -> (fourCC: FourCC, payload: Range<Int>)? {
    guard offset <= end - Int64(ChunkHeader.byteCount), let header = ChunkHeader(bytes, at: Int(offset)) else {
      return nil
    }
    let payload = Int(offset) + ChunkHeader.byteCount
    guard header.size <= end - Int64(payload) else { return nil }
    let inner = ChunkHeader.byteCount + AnimationFrameHeader.byteCount
    // May exceed `end` if the last chunk has no padding. The chunk is still accepted.
    offset += header.fourCC == .anmf ? min(header.paddedSize, Int64(inner)) : header.paddedSize
    return (header.fourCC, payload..<payload + Int(header.size))
  }
}

extension ImageHeaderParser {
  /// The properties that libwebp reports as features.
  var info: WebP.ImageInfo? {
    guard let (width, height) = size else { return nil }
    let compression: WebP.ImageInfo.Compression =
      switch streamType {
      case nil: .unspecified
      case .vp8L: .lossless
      default: .lossy
      }
    return WebP.ImageInfo(
      width: width, height: height, hasAlpha: hasAlpha, isAnimated: isAnimated, compression: compression)
  }
}

extension WebP {
  /// The error that libwebp's decoder for still images reports for an animation.
  package static func stillDecoderError(forAnimation bytes: [UInt8]) -> DecodeError {
    do {
      try bytes.withSpan { (span) throws(DecodeError) in
        _ = try DecodeError.converting(try ImageHeaderParser(span, need: .image))
      }
    } catch {
      return error
    }
    return DecodeError(.animation, chunk: .vp8X)
  }
}
