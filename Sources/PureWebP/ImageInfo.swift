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
    /// Whether there may be pixels that are not opaque.
    public let hasAlpha: Bool
    public let isAnimated: Bool
    public let compression: Compression
  }
}
