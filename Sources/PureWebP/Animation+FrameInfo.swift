internal import WebPFormat

extension WebP.Animation {
  /// The parameters of a frame, as the file stores them (RFC 9649, section 2.7.1.1).
  public struct FrameInfo: Hashable, Sendable {
    /// The left edge of the frame on the canvas, in pixels.
    public var x: Int { demuxed.x }
    /// The upper edge of the frame on the canvas, in pixels.
    public var y: Int { demuxed.y }
    /// The width, in pixels.
    public var width: Int { demuxed.width }
    /// The height, in pixels.
    public var height: Int { demuxed.height }
    /// The duration that the file stores, in milliseconds.
    public var duration: Int { demuxed.duration }
    /// The end of the frame's display time, in milliseconds from the start of the animation.
    public var endTime: Int { demuxed.endTime }
    /// The method by which the frame is drawn on the canvas.
    public var blending: BlendingMethod { demuxed.isBlended ? .blend : .overwrite }
    /// The treatment of the frame's rectangle before the next frame is drawn.
    public var disposal: DisposalMethod { demuxed.isDisposed ? .clear : .keep }
    /// Indicates whether the frame may have pixels that are not opaque, according to its headers. A lossless frame may
    /// have such pixels even if its header indicates none.
    public var hasAlpha: Bool { demuxed.hasAlpha }
    /// The compression of the frame.
    public var compression: WebP.ImageInfo.Compression { demuxed.isLossy ? .lossy : .lossless }
    /// A Boolean value that indicates whether the canvas can be composed without earlier frames.
    public var isKeyFrame: Bool { demuxed.isKeyFrame }
    /// The position of the frame's chunks in the file: VP8L, VP8, or ALPH and VP8.
    public var bytes: Range<Int> { demuxed.bytes }

    /// The frame as the demuxer has found it.
    let demuxed: DemuxedFrame

    init(_ frame: DemuxedFrame) { demuxed = frame }
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

// The format leaves the interpretation of short durations to the viewer (RFC 9649, section 2.7.1.1). Most frames of at
// most 10 ms were converted from GIFs. Browsers show them for 100 ms, as in a GIF.

extension WebP.Animation.FrameInfo {
  /// The time for which browsers show the frame, in milliseconds: ``duration``, or 100 if that is below 11.
  public var displayDuration: Int { duration < 11 ? 100 : duration }
}

extension WebP.Animation.Frame {
  /// The time for which browsers show the frame, in milliseconds: ``duration``, or 100 if that is below 11.
  public var displayDuration: Int { info.displayDuration }
}

extension WebP.Animation {
  /// The index of the frame that is shown at a time, as browsers play the animation.
  ///
  /// ```swift
  /// let frame = try animation.frame(at: animation.frameIndex(at: 2500))
  /// ```
  ///
  /// Every frame is shown for its ``FrameInfo/displayDuration``. After ``loopCount`` loops, the last frame stays. The
  /// time is proportional to the number of frames.
  ///
  /// - Parameter milliseconds: The time since the start. For negative times, the result is 0.
  public func frameIndex(at milliseconds: Int) -> Int {
    let total = frames.reduce(0 as Int64) { $0 + Int64($1.displayDuration) }
    guard total > 0, milliseconds >= 0 else { return 0 }
    if loopCount > 0, Int64(milliseconds) / total >= loopCount { return frames.count - 1 }
    var rest = Int64(milliseconds) % total
    for (index, frame) in frames.enumerated() {
      rest -= Int64(frame.displayDuration)
      if rest < 0 { return index }
    }
    return frames.count - 1
  }
}

#if !hasFeature(Embedded)
  @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
  extension Duration {
    /// The ``WebP/Animation/Frame/displayDuration`` of a frame.
    ///
    /// ```swift
    /// for frame in animation { print(Duration(displaying: frame)) }
    /// ```
    public init(displaying frame: WebP.Animation.Frame) { self = .milliseconds(frame.displayDuration) }
  }
#endif
