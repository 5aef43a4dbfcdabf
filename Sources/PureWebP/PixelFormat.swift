extension WebP {
  /// The channels and the byte layout of decoded pixels.
  ///
  /// Rows are stored from top to bottom. A packed format has one plane with the channels of each pixel in the order of
  /// the format's name:
  ///
  ///     rgba   R G B A R G B A …      4 bytes per pixel
  ///     rgb    R G B R G B …          3 bytes per pixel
  ///
  /// The digits of the names `rgb565` and `rgba4444` are the bits of each channel, in two bytes per pixel. The channels
  /// are in order from the highest bit of the first byte to the lowest bit of the second:
  ///
  ///     rgb565     RRRRRGGG GGGBBBBB
  ///     rgba4444   RRRRGGGG BBBBAAAA
  ///
  /// A planar format has one plane for each channel: Y with one byte for each pixel, U and V with one byte for each 2 ×
  /// 2 pixels (RFC 6386, section 5), and A like Y. ``Layout`` has the position of each plane. Y is in 16...235, and U
  /// and V in 16...240, where 128 is gray.
  @nonexhaustive
  public enum PixelFormat: Hashable, Sendable, CaseIterable {
    /// Four bytes per pixel, one for each channel.
    case rgba, bgra, argb
    /// Three bytes per pixel, one for each channel.
    case rgb, bgr
    /// Four bytes per pixel. Colors are multiplied by alpha: ⌊c · a / 255⌋. Frames of animations are blended in this
    /// format, and blended colors may differ from ⌊c · a / 255⌋ by up to 2.
    case rgbaPremultiplied, bgraPremultiplied, argbPremultiplied
    /// Two bytes per pixel.
    case rgb565, rgba4444
    /// Two bytes per pixel. Colors are multiplied by alpha after both have been truncated to four bits.
    case rgba4444Premultiplied
    /// One plane for each channel.
    case yuv, yuva
    /// One plane with the luma of ``yuv``. In a lossy image, it is Y as the file stores it. In a lossless image or an
    /// animation, it is ⌊(16839 R + 33059 G + 6420 B + 2¹⁵) / 2¹⁶⌋ + 16. In both, black is 16 and white is 235.
    case luma
    /// One byte per pixel, where black is 0 and white is 255. In a lossless image or an animation, it is
    /// ⌊(19595 R + 38470 G + 7471 B + 2¹⁵) / 2¹⁶⌋. In a lossy image, it is Y expanded to this range: (Y − 16) · 255 /
    /// 219, rounded and clamped. The gray of the decoded colors differs from it where they are clamped.
    case gray8
  }
}

extension WebP.PixelFormat {
  /// The number of bytes per pixel of a packed format. 1 for a planar format, which refers to the luma plane.
  public var bytesPerPixel: Int {
    switch self {
    case .rgba, .bgra, .argb, .rgbaPremultiplied, .bgraPremultiplied, .argbPremultiplied: 4
    case .rgb, .bgr: 3
    case .rgb565, .rgba4444, .rgba4444Premultiplied: 2
    case .yuv, .yuva, .luma, .gray8: 1
    }
  }

  /// Indicates whether each channel has a separate plane.
  public var isPlanar: Bool { planeCount != nil }

  /// Indicates whether the format has alpha.
  public var hasAlpha: Bool {
    switch self {
    case .rgb, .bgr, .rgb565, .yuv, .luma, .gray8: false
    case .rgba, .bgra, .argb, .rgbaPremultiplied, .bgraPremultiplied, .argbPremultiplied: true
    case .rgba4444, .rgba4444Premultiplied, .yuva: true
    }
  }

  /// The number of planes of a planar format. Nil for a packed format.
  var planeCount: Int? {
    switch self {
    case .rgba, .bgra, .argb, .rgbaPremultiplied, .bgraPremultiplied, .argbPremultiplied: nil
    case .rgb, .bgr, .rgb565, .rgba4444, .rgba4444Premultiplied, .gray8: nil
    case .yuv: 3
    case .yuva: 4
    case .luma: 1
    }
  }

  /// The offset of the alpha byte in a pixel of four bytes. Nil for all other formats.
  package var alphaOffset: Int? {
    switch self {
    case .rgba, .bgra, .rgbaPremultiplied, .bgraPremultiplied: 3
    case .argb, .argbPremultiplied: 0
    case .rgb, .bgr, .rgb565, .rgba4444, .rgba4444Premultiplied, .yuv, .yuva, .luma, .gray8: nil
    }
  }
}
