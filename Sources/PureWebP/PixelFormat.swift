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
  public var bytesPerPixel: Int { properties.bytesPerPixel }

  /// Indicates whether each channel has a separate plane.
  package var isPlanar: Bool { planeCount != nil }

  /// Indicates whether the format has alpha.
  public var hasAlpha: Bool { properties.hasAlpha }

  /// The number of planes of a planar format. Nil for a packed format.
  var planeCount: Int? { properties.planeCount }

  /// Indicates whether colors are multiplied by alpha.
  package var isPremultiplied: Bool { properties.isPremultiplied }

  /// The positions of the channels in a pixel of a packed format. Nil if a channel has fewer bits than a byte.
  package var channels: Channels? { properties.channels }

  /// The offset of the alpha byte in a pixel. Nil if there is no such byte.
  package var alphaOffset: Int? { channels?.alpha }

  /// The offsets of the bytes of R, G, B and A in a pixel. A gray level is R, G and B.
  package struct Channels {
    package let red: Int
    package let green: Int
    package let blue: Int
    package let alpha: Int?

    fileprivate init(_ red: Int, _ green: Int, _ blue: Int, _ alpha: Int? = nil) {
      (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
    }
  }

  /// The properties of a format, except for the conversion of its rows.
  private struct Properties {
    let bytesPerPixel: Int
    let hasAlpha: Bool
    var isPremultiplied = false
    var planeCount: Int?
    var channels: Channels?

    /// A packed format with a byte for each channel.
    init(bytes: Int, _ channels: Channels, isPremultiplied: Bool = false) {
      (bytesPerPixel, hasAlpha, self.channels) = (bytes, channels.alpha != nil, channels)
      self.isPremultiplied = isPremultiplied
    }

    /// A packed format of two bytes, whose channels have fewer than eight bits.
    init(hasAlpha: Bool, isPremultiplied: Bool = false) {
      (bytesPerPixel, self.hasAlpha, self.isPremultiplied) = (2, hasAlpha, isPremultiplied)
    }

    /// A planar format.
    init(planes: Int) { (bytesPerPixel, hasAlpha, planeCount) = (1, planes == 4, planes) }
  }

  private var properties: Properties {
    switch self {
    case .rgba: Properties(bytes: 4, Channels(0, 1, 2, 3))
    case .bgra: Properties(bytes: 4, Channels(2, 1, 0, 3))
    case .argb: Properties(bytes: 4, Channels(1, 2, 3, 0))
    case .rgb: Properties(bytes: 3, Channels(0, 1, 2))
    case .bgr: Properties(bytes: 3, Channels(2, 1, 0))
    case .rgbaPremultiplied: Properties(bytes: 4, Channels(0, 1, 2, 3), isPremultiplied: true)
    case .bgraPremultiplied: Properties(bytes: 4, Channels(2, 1, 0, 3), isPremultiplied: true)
    case .argbPremultiplied: Properties(bytes: 4, Channels(1, 2, 3, 0), isPremultiplied: true)
    case .rgb565: Properties(hasAlpha: false)
    case .rgba4444: Properties(hasAlpha: true)
    case .rgba4444Premultiplied: Properties(hasAlpha: true, isPremultiplied: true)
    case .yuv: Properties(planes: 3)
    case .yuva: Properties(planes: 4)
    case .luma: Properties(planes: 1)
    case .gray8: Properties(bytes: 1, Channels(0, 0, 0))
    }
  }
}
