extension WebP {
  /// What the headers of a file say, without decoding a pixel.
  public struct ImageInfo: Hashable, Sendable {
    public enum Compression: Hashable, Sendable {
      /// VP8 (RFC 6386).
      case lossy
      /// VP8L (RFC 9649, section 3).
      case lossless
      /// Not told: an animation, whose frames may differ, or a file that ends before its picture.
      case unspecified
    }

    /// Of the canvas, in pixels.
    public let width: Int
    /// Of the canvas, in pixels.
    public let height: Int
    /// Whether there may be pixels that are not opaque, as the headers say. A lossless picture may deny it and have some
    /// all the same, and of an animation's canvas a part may be unpainted.
    public let hasAlpha: Bool
    public let isAnimated: Bool
    public let compression: Compression
    /// Of an animation, those that are in the bytes at hand; 1 for a picture.
    public internal(set) var frameCount = 1
    /// How many times it is meant to be shown; 0: for ever. 1 unless the file says.
    public internal(set) var loopCount = 1
    /// Whether the bytes at hand have an ICC profile. See ``WebP/Metadata``.
    public internal(set) var hasICC = false
    /// Whether the bytes at hand have Exif.
    public internal(set) var hasExif = false
    /// Whether the bytes at hand have XMP.
    public internal(set) var hasXMP = false
  }
}

extension WebP.ImageInfo {
  /// Whether the picture, or the first frame's canvas, is to be taken for one with pixels that are not opaque.
  package var mayShowThrough: Bool { hasAlpha || isAnimated }
}

extension WebP.ImageInfo {
  /// Looks at all chunks, and takes them for what `Demuxer` does.
  mutating func readChunks(_ bytes: Span<UInt8>) {
    guard var chunks = ChunkWalk(file: bytes) else { return }
    if isAnimated { frameCount = 0 }
    let isExtended = ChunkHeader(bytes, at: 12)?.fourCC == .vp8X
    var animation: AnimationHeader?
    /// Of the frame whose picture has not come yet, with its padding; otherwise 0.
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
