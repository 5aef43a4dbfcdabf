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
    /// The orientation in Exif. ``WebP/Orientation/up`` if there is none.
    public internal(set) var orientation = Orientation.up
  }
}

extension WebP.ImageInfo {
  /// Indicates whether the still image, or the canvas after the first frame, may have pixels that are not opaque.
  package var mayBeTransparent: Bool { hasAlpha || isAnimated }
}

extension WebP.ImageInfo {
  /// Adds what the chunks specify.
  mutating func add(_ chunks: MetadataCollector) {
    let facts = chunks.facts
    (hasICC, hasExif, hasXMP) = (facts.hasICC, facts.hasExif, facts.hasXMP)
    orientation = chunks.metadata.orientation ?? .up
    loopCount = facts.animation?.loopCount ?? 1
    guard isAnimated else { return }
    frameCount = facts.frameCount
    (storedMilliseconds, displayMilliseconds) = (facts.storedMilliseconds, facts.displayMilliseconds)
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
