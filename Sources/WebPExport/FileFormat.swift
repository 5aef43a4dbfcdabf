import PureWebP

extension WebP {
  /// The file formats that an image can be written to. The raw value is the word that `webp --format` accepts.
  @nonexhaustive
  public enum FileFormat: String, Hashable, Sendable, CaseIterable {
    /// Portable Network Graphics (RFC 2083 and its later editions), compressed. Animations are written as APNG.
    case png
    /// Portable Arbitrary Map, uncompressed: RGBA.
    case pam
    /// Portable Pixmap, uncompressed: RGB. Alpha is omitted.
    case ppm
    /// Portable Graymap that contains all planes: the rows of Y, then rows of U and V side by side, then the rows of A.
    /// This layout is called IMC4. If the image is `gray8` or `luma`, that plane alone.
    case pgm
    /// Windows bitmap, uncompressed: BGR or BGRA.
    case bmp
    /// Tagged Image File Format, uncompressed: RGB or RGBA.
    case tiff
    /// The planes Y, U, V and A in sequence, without a header.
    case yuv
    /// Portable Graymap of alpha alone.
    case alphaPGM = "alpha"
  }
}

extension WebP.FileFormat {
  /// The format of files with this extension, in any letter case. Nil if there is none.
  public init?(fileExtension: String) {
    let name = fileExtension.lowercased()
    guard let format = Self.allCases.first(where: { $0.fileExtensions.contains(name) }) else { return nil }
    self = format
  }

  /// The usual file name extension, without the dot.
  public var fileExtension: String { fileExtensions[0] }

  /// The file name extensions, the usual one first.
  private var fileExtensions: [String] {
    switch self {
    case .png: ["png", "apng"]
    case .pam: ["pam"]
    case .ppm: ["ppm", "pnm"]
    case .pgm, .alphaPGM: ["pgm"]
    case .bmp: ["bmp", "dib"]
    case .tiff: ["tiff", "tif"]
    case .yuv: ["yuv"]
    }
  }

  /// The pixel format that can be written without conversion.
  ///
  /// - Parameter hasAlpha: whether the image may have pixels that are not opaque.
  public func pixelFormat(hasAlpha: Bool) -> WebP.PixelFormat {
    switch self {
    case .png, .tiff: hasAlpha ? .rgba : .rgb
    case .pam: .rgba
    case .ppm: .rgb
    case .bmp: hasAlpha ? .bgra : .bgr
    case .pgm, .yuv: hasAlpha ? .yuva : .yuv
    case .alphaPGM: .yuva
    }
  }

  /// Indicates whether files store alpha, and metadata.
  package var contents: (alpha: Bool, metadata: Bool) {
    switch self {
    case .png, .tiff: (true, true)
    case .pam, .bmp, .pgm, .yuv, .alphaPGM: (true, false)
    case .ppm: (false, false)
    }
  }

  var title: String { self == .alphaPGM ? "a PGM of alpha" : rawValue.uppercased() }
}
