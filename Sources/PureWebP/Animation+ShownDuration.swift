// How long frames are shown. The format leaves times of 0 to the reader (RFC 9649, section 2.7.1.1), and browsers agree:
// most frames of 10 ms and less come from GIFs that were never shown any faster than ten in a second.

extension WebP.Animation.FrameInfo {
  /// How long browsers show the frame, in milliseconds: its duration, or 100 if that is below 11.
  public var shownDuration: Int { duration < 11 ? 100 : duration }
}

extension WebP.Animation.Frame {
  /// How long browsers show the frame, in milliseconds: its duration, or 100 if that is below 11.
  public var shownDuration: Int { info.shownDuration }
}
