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
    /// The part of the picture that is decoded; nil: all of it. The left and the upper edge of a lossy picture's crop are
    /// moved to even places, its size stays.
    public var crop: Rectangle?
    /// The size to scale to, after cropping; nil: as it is. Chroma is then scaled as well, whatever `upsampling` says.
    public var size: OutputSize?
    /// How much noise hides the bands that show in smooth chroma of a finely quantised lossy picture: 0, none, to 100;
    /// what is less or more is taken for these.
    /// Frames of animations have none, whatever it says, as with libwebp.
    public var dithering = 0
    /// How strongly the steps between levels of alpha are smoothed where the encoder has reduced their number: 0, not at
    /// all, to 100, like `dithering`. Not in frames of animations, either.
    public var alphaDithering = 0
    /// Turns the picture upside down.
    public var flipsVertically = false
    /// How many threads may work on the picture. The pixels are the same with any number.
    public var threads = Threads.automatic
    /// What is refused before memory is taken for it.
    public var limits = Limits()

    public init() {}
  }
}
