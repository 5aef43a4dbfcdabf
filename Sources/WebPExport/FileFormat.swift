import PureWebP

extension WebP {
  /// The kinds of file that a picture can be written to.
  public enum FileFormat: String, Hashable, Sendable, CaseIterable {
    /// Portable Network Graphics (RFC 2083 and its later editions), compressed. APNGs are such files.
    case png
    /// Portable Arbitrary Map: RGBA, as they are.
    case pam
    /// Portable Pixel Map: RGB, as they are. Alpha is left out.
    case ppm
    /// Portable Grey Map of the planes Y, U, V and A, in the arrangement that is called IMC4.
    case pgm
    /// Windows bitmap, uncompressed: BGR or BGRA.
    case bmp
    /// Tagged Image File Format, uncompressed: RGB or RGBA.
    case tiff
    /// The planes Y, U, V and A one after the other, without a header.
    case yuv
    /// Portable Grey Map of alpha alone.
    case alpha
  }
}

extension WebP.FileFormat {
  /// The format that files with this extension have, whatever its case; nil if there is none.
  public init?(fileExtension: String) {
    switch fileExtension.lowercased() {
    case "png", "apng": self = .png
    case "pam": self = .pam
    case "ppm", "pnm": self = .ppm
    case "pgm": self = .pgm
    case "bmp", "dib": self = .bmp
    case "tif", "tiff": self = .tiff
    case "yuv": self = .yuv
    default: return nil
    }
  }

  /// What the names of such files usually end in, without the dot.
  public var fileExtension: String { self == .alpha ? "pgm" : rawValue }

  /// The pixels to decode to, so that nothing has to be converted afterwards.
  ///
  /// - Parameter hasAlpha: whether the picture may have pixels that are not opaque.
  public func pixelFormat(hasAlpha: Bool) -> WebP.PixelFormat {
    switch self {
    case .png, .tiff: hasAlpha ? .rgba : .rgb
    case .pam: .rgba
    case .ppm: .rgb
    case .bmp: hasAlpha ? .bgra : .bgr
    case .pgm, .yuv: hasAlpha ? .yuva : .yuv
    case .alpha: .yuva
    }
  }

  var title: String { self == .alpha ? "a PGM of alpha" : rawValue.uppercased() }
}
