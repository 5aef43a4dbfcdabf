internal import WebPFormat

extension WebP.Animation {
  /// The parameters of a frame, as the file stores them (RFC 9649, section 2.7.1.1).
  public struct FrameInfo: Hashable, Sendable {
    /// The position of the frame on the canvas, and its size.
    public var rectangle: WebP.Rectangle {
      WebP.Rectangle(x: demuxed.x, y: demuxed.y, width: demuxed.width, height: demuxed.height)
    }
    /// The duration that the file stores, in milliseconds. If it is below 11, viewers do not follow it: see
    /// ``displayMilliseconds``.
    public var storedMilliseconds: Int { demuxed.duration }
    /// The time for which browsers show the frame, in milliseconds: ``storedMilliseconds``, or 100 if that is below 11.
    /// 0 for a still image.
    public var displayMilliseconds: Int { demuxed.displayDuration }
    /// The time at which browsers show the frame for the first time, in milliseconds from the start of the animation.
    public var displayStartMilliseconds: Int { demuxed.displayStart }
    /// The blending method. If true, the frame is alpha-blended with the canvas, which stays visible where the frame is
    /// transparent. If false, the frame replaces its rectangle on the canvas, including transparent pixels.
    public var isBlended: Bool { demuxed.isBlended }
    /// The disposal method. If true, the frame's rectangle becomes transparent before the next frame is drawn. If
    /// false, the canvas stays as it is.
    public var isDisposed: Bool { demuxed.isDisposed }
    /// Indicates whether the frame may have pixels that are not opaque, according to its headers. A lossless frame may
    /// have such pixels even if its header indicates none.
    public var hasAlpha: Bool { demuxed.hasAlpha }
    /// The compression of the frame.
    public var compression: WebP.ImageInfo.Compression { demuxed.isLossy ? .lossy : .lossless }
    /// Indicates whether the canvas can be composed without earlier frames.
    public var isKeyFrame: Bool { demuxed.isKeyFrame }
    /// The position of the frame's chunks in the file: VP8L, VP8, or ALPH and VP8.
    public var bytes: Range<Int> { demuxed.bytes }

    /// The frame as the demuxer has found it.
    let demuxed: DemuxedFrame

    init(_ frame: DemuxedFrame) { demuxed = frame }
  }
}

extension WebP.Animation {
  /// The index of the frame that is shown at a time, as browsers play the animation.
  ///
  /// ```swift
  /// let frame = try animation.frame(at: animation.frameIndex(atMilliseconds: 2500))
  /// ```
  ///
  /// Every frame is shown for its ``FrameInfo/displayMilliseconds``. After ``loopCount`` loops, the last frame stays.
  /// The time is proportional to the number of frames.
  ///
  /// - Parameter milliseconds: The time since the start. For negative times, the result is 0.
  public func frameIndex(atMilliseconds milliseconds: Int) -> Int {
    let total = displayMilliseconds
    guard total > 0, milliseconds >= 0 else { return 0 }
    if loopCount > 0, milliseconds / total >= loopCount { return frames.count - 1 }
    let time = milliseconds % total
    return frames.lastIndex { $0.displayStartMilliseconds <= time } ?? 0
  }
}
