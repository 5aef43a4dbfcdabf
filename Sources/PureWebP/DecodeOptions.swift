extension WebP {
  /// The options of the decoder and the properties of its output.
  public struct DecodeOptions: Hashable, Sendable {
    /// The upsampling of chroma, which has one sample for 2 × 2 pixels of a lossy image.
    public enum Upsampling: Hashable, Sendable {
      /// Weights the four nearest samples 9 : 3 : 3 : 1. Smooth.
      case fancy
      /// Uses the nearest sample. Faster, with visible steps at sharp color edges.
      case nearest
    }

    /// The format of the output.
    public var format = PixelFormat.rgba
    public var upsampling = Upsampling.fancy
    /// Skips the loop filter of lossy images: faster, with visible blocks (RFC 6386, section 15).
    public var bypassesLoopFilter = false
    /// The part of the image that is decoded. Nil for the complete image. For lossy images, the left and upper edges
    /// move to even coordinates; the size does not change.
    public var crop: Rectangle?
    /// The size to scale to after cropping. Nil for no scaling. If set, chroma is scaled too, and `upsampling` has no
    /// effect.
    public var size: OutputSize?
    /// Strength of the chroma dithering that hides banding in lossy images, from 0 (off) to 100. Values outside the
    /// range are clamped. Frames of animations are never dithered, as in libwebp.
    public var dithering = 0
    /// Strength of the smoothing of alpha if the encoder has reduced the number of its levels, from 0 (off) to 100.
    /// Values outside the range are clamped. Frames of animations are never smoothed.
    public var alphaDithering = 0
    /// Flips the image vertically.
    public var flipsVertically = false
    /// The maximum number of threads. The pixels do not depend on it.
    public var threads = Threads.automatic
    /// The limits, which are checked before memory is allocated.
    public var limits = Limits()

    public init() {}
  }
}
