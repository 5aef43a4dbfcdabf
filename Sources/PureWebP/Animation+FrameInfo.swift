extension WebP.Animation {
  /// What a file says of one of its frames (RFC 9649, section 2.7.1.1).
  public struct FrameInfo: Hashable, Sendable {
    /// Where the frame's left edge is on the canvas.
    public let x: Int
    /// Where the frame's upper edge is on the canvas.
    public let y: Int
    /// In pixels.
    public let width: Int
    /// In pixels.
    public let height: Int
    /// In milliseconds.
    public let duration: Int
    /// When the frame's time is over, in milliseconds from the start of the first one.
    public let timestamp: Int
    /// Whether the frame's transparent parts let the canvas show through, rather than replace it.
    public let isBlended: Bool
    /// Whether the frame's rectangle is made transparent after its time.
    public let isDisposed: Bool
    /// Whether there may be pixels in the frame that are not opaque, as its headers say. A lossless one may deny it.
    public let hasAlpha: Bool
    /// Of the frame's picture: lossy or lossless.
    public let compression: WebP.ImageInfo.Compression
    /// Whether the canvas can be composed without the frames before this one.
    public let isKeyFrame: Bool
    /// Where in the file the frame's chunks are: VP8L, or VP8, or ALPH and VP8.
    public let bytes: Range<Int>

    /// - Parameter previous: the frame before; nil for the first.
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
