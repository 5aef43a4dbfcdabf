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
