// The display duration of frames. The format leaves durations of 0 to the reader (RFC 9649, section 2.7.1.1). All
// browsers show short frames for 100 ms, because most of them come from GIFs that were always shown at that speed.

extension WebP.Animation.FrameInfo {
  /// The duration for which browsers show the frame, in milliseconds: its duration, or 100 if that is less than 11.
  public var shownDuration: Int { duration < 11 ? 100 : duration }
}

extension WebP.Animation.Frame {
  /// The duration for which browsers show the frame, in milliseconds: its duration, or 100 if that is less than 11.
  public var shownDuration: Int { info.shownDuration }
}
