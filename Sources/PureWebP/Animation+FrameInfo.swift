extension WebP.Animation {
  /// The parameters of a frame, as the file stores them (RFC 9649, section 2.7.1.1).
  public struct FrameInfo: Hashable, Sendable {
    /// The left edge of the frame on the canvas, in pixels.
    public let x: Int
    /// The upper edge of the frame on the canvas, in pixels.
    public let y: Int
    /// The width, in pixels.
    public let width: Int
    /// The height, in pixels.
    public let height: Int
    /// The duration that the file stores, in milliseconds.
    public let duration: Int
    /// The end of the frame's display time, in milliseconds from the start of the animation.
    public let endTime: Int
    /// The method by which the frame is drawn on the canvas.
    public let blending: BlendingMethod
    /// The treatment of the frame's rectangle before the next frame is drawn.
    public let disposal: DisposalMethod
    /// Indicates whether the frame may have pixels that are not opaque, according to its headers. A lossless frame may
    /// have such pixels even if its header indicates none.
    public let hasAlpha: Bool
    /// The compression of the frame.
    public let compression: WebP.ImageInfo.Compression
    /// A Boolean value that indicates whether the canvas can be composed without earlier frames.
    public let isKeyFrame: Bool
    /// The position of the frame's chunks in the file: VP8L, VP8, or ALPH and VP8.
    public let bytes: Range<Int>

    /// - Parameter previous: The previous frame; nil for the first.
    init(
      _ header: AnimationFrameHeader, _ image: ImageChunks.Image, after previous: FrameInfo?,
      canvas: (width: Int, height: Int)
    ) {
      (x, y, duration) = (header.x, header.y, header.duration)
      blending = header.isBlended ? .blend : .overwrite
      disposal = header.isDisposed ? .clear : .keep
      (width, height, bytes) = (image.width, image.height, image.bytes)
      (hasAlpha, compression) = (image.hasAlpha, image.compression)
      let (sum, overflow) = (previous?.endTime ?? 0).addingReportingOverflow(header.duration)
      endTime = overflow ? .max : sum

      func coversCanvas(_ width: Int, _ height: Int) -> Bool { width == canvas.width && height == canvas.height }
      if let previous {
        let replacesAll = coversCanvas(width, height) && !(hasAlpha && header.isBlended)
        let startsEmpty =
          previous.disposal == .clear && (previous.isKeyFrame || coversCanvas(previous.width, previous.height))
        isKeyFrame = replacesAll || startsEmpty
      } else {
        isKeyFrame = true
      }
    }
  }

  /// The blending method of a frame (RFC 9649, section 2.7.1.1).
  public enum BlendingMethod: Hashable, Sendable {
    /// The frame is alpha-blended with the canvas, which stays visible where the frame is transparent.
    case blend
    /// The frame replaces its rectangle on the canvas, including transparent pixels.
    case overwrite
  }

  /// The disposal method of a frame (RFC 9649, section 2.7.1.1).
  public enum DisposalMethod: Hashable, Sendable {
    /// The canvas stays as it is.
    case keep
    /// The frame's rectangle becomes transparent.
    case clear
  }
}
