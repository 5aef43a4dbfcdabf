extension WebP {
  /// How the bytes of a decoded picture are laid out.
  ///
  /// Rows go from top to bottom. A packed format has one plane, with the channels of each pixel side by side in the
  /// order of the name:
  ///
  ///     rgba   R G B A R G B A …      4 bytes a pixel
  ///     rgb    R G B R G B …          3 bytes a pixel
  ///
  /// Those with bits in their names have two bytes a pixel, with the channels in order from the highest bit of the first
  /// byte to the lowest bit of the second:
  ///
  ///     rgb565     RRRRRGGG GGGBBBBB
  ///     rgba4444   RRRRGGGG BBBBAAAA
  ///
  /// A planar format has a plane for each channel: Y with a byte for each pixel, then U and V with a byte for each
  /// square of 2 × 2 pixels (RFC 6386, section 5), then A like Y. See ``Layout`` for where each plane is.
  public enum PixelFormat: Hashable, Sendable, CaseIterable {
    case rgba, bgra, argb
    case rgb, bgr
    /// The colours multiplied with alpha: ⌊c · a / 255⌋. Frames of animations are blended as such, and where colours are
    /// mixed may differ from that by 2.
    case rgbaPremultiplied, bgraPremultiplied, argbPremultiplied
    case rgb565, rgba4444
    /// The colours multiplied with alpha, after both have been cut to four bits.
    case rgba4444Premultiplied
    case yuv, yuva
  }
}

extension WebP.PixelFormat {
  /// Bytes for each pixel of a packed format; 1, for the luma plane, of a planar one.
  public var bytesPerPixel: Int {
    switch self {
    case .rgba, .bgra, .argb, .rgbaPremultiplied, .bgraPremultiplied, .argbPremultiplied: 4
    case .rgb, .bgr: 3
    case .rgb565, .rgba4444, .rgba4444Premultiplied: 2
    case .yuv, .yuva: 1
    }
  }

  /// Whether there is a plane for each channel.
  public var isPlanar: Bool { self == .yuv || self == .yuva }

  /// Whether alpha is part of the output.
  public var hasAlpha: Bool {
    switch self {
    case .rgb, .bgr, .rgb565, .yuv: false
    default: true
    }
  }
}
