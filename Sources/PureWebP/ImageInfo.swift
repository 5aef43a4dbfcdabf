extension WebP {
  /// The properties of a file that its headers specify, so that no pixels need to be decoded.
  public struct ImageInfo: Hashable, Sendable {
    /// The compression of an image's colors.
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
    /// A Boolean value that indicates whether the image may have pixels that are not opaque, according to the headers.
    /// A lossless image may have such pixels even if its header indicates none. The canvas of an animation may also
    /// have areas that no frame covers.
    public let hasAlpha: Bool
    /// A Boolean value that indicates whether the file is an animation.
    public let isAnimated: Bool
    /// The compression of a still image.
    public let compression: Compression
    /// The number of frames of an animation in the given bytes. 1 for a still image.
    public internal(set) var frameCount = 1
    /// The number of times that the animation is to be shown. 0 means forever. The default is 1.
    public internal(set) var loopCount = 1
    /// A Boolean value that indicates whether the given bytes contain an ICC profile. See ``WebP/Metadata``.
    public internal(set) var hasICC = false
    /// A Boolean value that indicates whether the given bytes contain Exif.
    public internal(set) var hasExif = false
    /// A Boolean value that indicates whether the given bytes contain XMP.
    public internal(set) var hasXMP = false
  }
}

extension WebP.ImageInfo {
  /// Indicates whether the still image, or the canvas after the first frame, may have pixels that are not opaque.
  package var mayBeTransparent: Bool { hasAlpha || isAnimated }
}

extension WebP.ImageInfo {
  /// Counts the frames and finds the metadata chunks, by the same rules as `Demuxer`.
  mutating func readChunks(_ bytes: Span<UInt8>) {
    guard var chunks = ChunkIterator(file: bytes) else { return }
    if isAnimated { frameCount = 0 }
    let isExtended = ChunkHeader(bytes, at: 12)?.fourCC == .vp8X
    var animation: AnimationHeader?
    /// The end of the current frame, including padding, while its image has not been found. Otherwise 0.
    var frameEnd = 0
    while let (fourCC, payload) = chunks.next(bytes) {
      note(fourCC)
      switch fourCC {
      case .anim where isExtended && animation == nil && payload.count >= AnimationHeader.leastSize:
        animation = AnimationHeader(bytes, at: payload.lowerBound)
      case .anmf where isAnimated && animation != nil: frameEnd = payload.upperBound + payload.count & 1
      case .vp8, .vp8L:
        if payload.upperBound <= frameEnd { frameCount += 1 }
        frameEnd = 0
      case .alph: break
      default: frameEnd = 0
      }
    }
    if let animation { loopCount = animation.loopCount }
  }

  private mutating func note(_ fourCC: WebP.FourCC) {
    switch fourCC {
    case .iccp: hasICC = true
    case .exif: hasExif = true
    case .xmp: hasXMP = true
    default: break
    }
  }
}
