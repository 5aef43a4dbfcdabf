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
