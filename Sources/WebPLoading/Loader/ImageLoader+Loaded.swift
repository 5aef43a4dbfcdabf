import PureWebP

extension WebP.ImageLoader {
  /// A complete image.
  public struct Loaded: Sendable {
    /// The source of an image.
    public enum Source: Sendable {
      /// The memory of decoded images.
      case memory
      /// The loader's ``WebP/ImageCache``, or a local file.
      case cache
      /// A server.
      case network
    }

    /// The image, or the first frame of an animation.
    public let image: WebP.Image
    /// The animation, if it has more than one frame.
    public let animation: LoadedAnimation?
    /// The orientation, color profile and other metadata.
    public let metadata: WebP.Metadata
    /// The source of the image.
    public internal(set) var source: Source
    /// The header fields. Nil if the file has another format.
    package let info: WebP.ImageInfo?
    /// The length of the file that the animation retains, in bytes.
    let animationBytes: Int

    /// Indicates whether a view should fade the image in, because the user waited for the network.
    public var fadesIn: Bool { source == .network }
  }

  /// An animation whose frames pass through the load's transform.
  public struct LoadedAnimation: Sendable {
    /// The animation in the file. Its frames are not transformed.
    public let source: WebP.Animation
    let transform: Options.Transform?

    /// Decodes and transforms a frame.
    ///
    /// - Throws: `WebP.DecodeError`, or an error of the transform.
    public func frame(at index: Int) throws -> WebP.Image {
      try transformed(source.frame(at: index).image)
    }

    /// Applies the load's transform to a frame.
    public func transformed(_ image: WebP.Image) throws -> WebP.Image {
      try transform?.apply(image) ?? image
    }

    /// Returns an iterator over the frames, each with its transformed image.
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
