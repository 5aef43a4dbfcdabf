extension WebP.Animation {
  /// The properties of a frame in its file (RFC 9649, section 2.7.1.1).
  public struct FrameInfo: Hashable, Sendable {
    /// The position of the frame's left edge on the canvas, in pixels.
    public let x: Int
    /// The position of the frame's upper edge on the canvas, in pixels.
    public let y: Int
    /// The width of the frame, in pixels.
    public let width: Int
    /// The height of the frame, in pixels.
    public let height: Int
    /// The duration of the frame, in milliseconds.
    public let duration: Int
    /// The end of the frame's duration, in milliseconds from the start of the first frame.
    public let timestamp: Int
    /// A Boolean value that indicates whether the frame is blended onto the canvas. Otherwise it replaces its
    /// rectangle.
    public let isBlended: Bool
    /// A Boolean value that indicates whether the frame's rectangle is cleared to transparent after its duration.
    public let isDisposed: Bool
    /// A Boolean value that indicates whether the frame may have pixels that are not opaque, according to its headers.
    /// A lossless frame may have such pixels even if its header denies it.
    public let hasAlpha: Bool
    /// The compression of the frame's image: lossy or lossless.
    public let compression: WebP.ImageInfo.Compression
    /// A Boolean value that indicates whether the canvas can be composed without earlier frames.
    public let isKeyFrame: Bool
    /// The range of the frame's chunks in the file: VP8L, or VP8, or ALPH and VP8.
    public let bytes: Range<Int>

    /// - Parameter previous: the previous frame. Nil for the first one.
    init(
      _ header: AnimationFrameHeader, _ picture: PictureChunks.Picture, after previous: FrameInfo?,
      canvas: (width: Int, height: Int)
    ) {
      (x, y, duration) = (header.x, header.y, header.duration)
      (isBlended, isDisposed) = (header.isBlended, header.isDisposed)
      (width, height, bytes) = (picture.width, picture.height, picture.bytes)
      (hasAlpha, compression) = (picture.hasAlpha, picture.compression)
      let (sum, overflow) = (previous?.timestamp ?? 0).addingReportingOverflow(header.duration)
      timestamp = overflow ? .max : sum

      func isWholeCanvas(_ width: Int, _ height: Int) -> Bool { width == canvas.width && height == canvas.height }
      if let previous {
        let replacesAll = isWholeCanvas(width, height) && !(hasAlpha && header.isBlended)
        let startsEmpty = previous.isDisposed && (previous.isKeyFrame || isWholeCanvas(previous.width, previous.height))
        isKeyFrame = replacesAll || startsEmpty
      } else {
        isKeyFrame = true
      }
    }
  }
}
