extension WebP {
  /// What a decoded picture should be like.
  public struct DecodeOptions: Hashable, Sendable {
    /// How chroma, which has one sample for 2 × 2 pixels, is spread over the pixels of a lossy picture.
    public enum Upsampling: Hashable, Sendable {
      /// Weighted 9 : 3 : 3 : 1 between the four nearest samples: smooth.
      case fancy
      /// The nearest sample: faster, with visible steps at sharp colour edges.
      case nearest
    }

    /// The layout of the output.
    public var format = PixelFormat.rgba
    public var upsampling = Upsampling.fancy
    /// Leaves out the loop filter of lossy pictures: faster, with visible blocks (RFC 6386, section 15).
    public var bypassesLoopFilter = false
    /// What is refused before memory is taken for it.
    public var limits = Limits()

    public init() {}
  }
}
