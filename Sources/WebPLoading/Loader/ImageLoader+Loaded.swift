import PureWebP

extension WebP.ImageLoader {
  /// A complete image.
  public struct Loaded: Sendable {
    /// The source of an image.
    @nonexhaustive
    public enum Source: Sendable {
      /// The memory of decoded images.
      case memory
      /// The loader's ``WebP/ImageCache``, or a local file.
      case cache
      /// A server.
      case network
    }

    private let pixels: Pixels
    /// The animation, if it has more than one frame.
    public let animation: LoadedAnimation?
    /// The color profile and other metadata. The orientation is the one that ``image`` still needs: none if it is
    /// upright.
    public let metadata: WebP.Metadata
    /// The source of the image.
    public internal(set) var source: Source
    /// The size of the image before it was scaled and transformed, in pixels.
    package let fullSize: WebP.Size
    /// The factor by which the image was scaled.
    package let density: Double
    /// The length of the file that the animation retains, in bytes.
    let animationBytes: Int

    /// The pixels of an image. What views show is stored in a form that they draw without copying it.
    private enum Pixels: Sendable {
      case image(WebP.Image)
      case drawable(DrawablePixels)
    }

    init(
      image: WebP.Image, animation: LoadedAnimation?, metadata: WebP.Metadata, source: Source, fullSize: WebP.Size,
      density: Double, animationBytes: Int
    ) {
      pixels = image.format == .bgraPremultiplied ? .drawable(DrawablePixels(image)) : .image(image)
      (self.animation, self.metadata, self.source) = (animation, metadata, source)
      (self.fullSize, self.density, self.animationBytes) = (fullSize, density, animationBytes)
    }

    /// The image, or the first frame of an animation. It is upright if ``Options/decoding`` specifies that.
    ///
    /// In the format `bgraPremultiplied`, the image is stored with the rows that views need, and is copied each time.
    public var image: WebP.Image {
      switch pixels {
      case .image(let image): image
      case .drawable(let pixels): pixels.image
      }
    }

    /// The pixels for a view. Nil if the format is another one than `bgraPremultiplied`.
    package var drawable: DrawablePixels? {
      if case .drawable(let pixels) = pixels { pixels } else { nil }
    }

    /// The memory use of the pixels, in bytes.
    var pixelBytes: Int {
      switch pixels {
      case .image(let image): image.pixels.count
      case .drawable(let pixels): pixels.bytes.length
      }
    }

    /// Indicates whether a view should fade the image in, because the user waited for the network.
    public var fadesIn: Bool { source == .network }
  }

  /// An animation whose frames pass through the load's transform.
  public struct LoadedAnimation: Sendable {
    /// The animation in the file. Its frames are upright if ``Options/decoding`` specifies that, and not transformed.
    public let source: WebP.Animation
    let transform: Options.Transform?

    /// Decodes and transforms a frame.
    ///
    /// - Throws: `WebP.DecodeError`, or an error of the transform.
    public func frame(at index: Int) throws -> WebP.Image {
      try transformed(source.frame(at: index).image)
    }

    /// Applies the load's transform to a frame of ``source``.
    public func transformed(_ image: WebP.Image) throws -> WebP.Image {
      guard var result = try transform?.apply(image) else { return image }
      // An image that the transform has created is upright too.
      if result.appliedOrientation ?? .up == .up, source.options.isUpright {
        result.appliedOrientation = image.appliedOrientation
      }
      return result
    }

    /// Returns an iterator over the frames, each transformed.
    public func makeIterator() -> FrameIterator { FrameIterator(animation: self, base: source.makeIterator()) }

    /// Decodes and transforms one frame after another.
    public struct FrameIterator {
      fileprivate let animation: LoadedAnimation
      fileprivate var base: WebP.Animation.FrameIterator

      /// Returns the next frame's index in `source.frames` and its image. Nil after the last frame.
      ///
      /// - Throws: `WebP.DecodeError`, or an error of the transform.
      public mutating func nextFrame() throws -> (index: Int, image: WebP.Image)? {
        guard let frame = try base.nextFrame() else { return nil }
        return (frame.index, try animation.transformed(frame.image))
      }
    }
  }
}
