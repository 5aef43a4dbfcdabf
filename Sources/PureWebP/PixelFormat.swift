extension WebP {
  /// How the bytes of a decoded picture are laid out.
  ///
  /// Rows go from top to bottom. A packed format has one plane, with the channels of each pixel side by side in the
  /// order of the name:
  ///
  ///     rgba   R G B A R G B A …      4 bytes a pixel
  ///     rgb    R G B R G B …          3 bytes a pixel
  ///
  /// A planar format has a plane for each channel: Y with a byte for each pixel, then U and V with a byte for each
  /// square of 2 × 2 pixels (RFC 6386, section 5), then A like Y. See ``Layout`` for where each plane is.
  public enum PixelFormat: Hashable, Sendable, CaseIterable {
    case rgba, bgra, argb
    case rgb, bgr
    /// The colours multiplied with alpha: ⌊c · a / 255⌋.
    case rgbaPremultiplied, bgraPremultiplied, argbPremultiplied
    case yuv, yuva
  }
}

extension WebP.PixelFormat {
  /// Bytes for each pixel of a packed format; 1, for the luma plane, of a planar one.
  public var bytesPerPixel: Int {
    switch self {
    case .rgba, .bgra, .argb, .rgbaPremultiplied, .bgraPremultiplied, .argbPremultiplied: 4
    case .rgb, .bgr: 3
    case .yuv, .yuva: 1
    }
  }

  /// Whether there is a plane for each channel.
  public var isPlanar: Bool { self == .yuv || self == .yuva }

  /// Whether alpha is part of the output.
  public var hasAlpha: Bool {
    switch self {
    case .rgb, .bgr, .yuv: false
    default: true
    }
  }
}
