import PureWebP

extension WebP {
  /// The properties of a PNG that precede its pixels (PNG specification, third edition, sections 11.2.1 to 11.3.1).
  public struct PNGHeader: Hashable, Sendable {
    /// The samples of a pixel.
    @nonexhaustive
    public enum ColorType: Hashable, Sendable {
      /// One sample of eight bits.
      case gray
      /// Three samples of eight bits.
      case rgb
      /// An index into up to 256 colors, with the smallest sufficient number of bits (1, 2, 4 or 8). The first pixel of
      /// a byte is in its highest bits, and each row starts with a new byte.
      case palette([Color])
      /// Two samples of eight bits.
      case grayAlpha
      /// Four samples of eight bits.
      case rgba
    }

    /// The width in pixels, 1 ... 2³¹ − 1.
    public let width: Int
    /// The height in pixels, 1 ... 2³¹ − 1.
    public let height: Int
    /// The samples of a pixel.
    public let colorType: ColorType

    /// Creates a header.
    public init(width: Int, height: Int, colorType: ColorType) {
      self.width = width
      self.height = height
      self.colorType = colorType
    }
  }
}

extension WebP.PNGHeader {
  /// The number of bits of an index, or of a sample.
  public var bitDepth: Int { colorType.bitDepth }

  /// The number of bytes of a row, as ``WebP/PNGWriter`` accepts it. `Int.max` if it does not fit an `Int`.
  public var bytesPerRow: Int {
    let bits = max(0, width).multipliedReportingOverflow(by: colorType.channels * bitDepth)
    guard !bits.overflow, bits.partialValue <= Int.max - 7 else { return .max }
    return (bits.partialValue + 7) / 8
  }

  /// Returns whether all rows, including the numbers of their filters, exceed this number of bytes.
  ///
  /// Divides instead of multiplying, because the product may exceed `Int`.
  func isLonger(than bytes: Int) -> Bool { height > bytes / (bytesPerRow + 1) }

  /// Checks the sides and the palette.
  ///
  /// - Throws: `tooLarge` or `invalidHeader`.
  func check() throws(WebP.ExportError) {
    guard width > 0, height > 0 else { throw .invalidHeader("no pixels") }
    guard max(width, height) <= Int(Int32.max), bytesPerRow < .max else { throw .tooLarge(.png) }
    if case .palette(let colors) = colorType, !(1...256 ~= colors.count) {
      throw .invalidHeader("a palette has 1 to 256 colors")
    }
  }
}

extension WebP.PNGHeader.ColorType {
  var isIndexed: Bool { if case .palette = self { true } else { false } }

  var bitDepth: Int {
    guard case .palette(let colors) = self else { return 8 }
    return switch colors.count {
    case ...2: 1
    case ...4: 2
    case ...16: 4
    default: 8
    }
  }

  var channels: Int {
    switch self {
    case .gray, .palette: 1
    case .grayAlpha: 2
    case .rgb: 3
    case .rgba: 4
    }
  }

  /// The color type's number in IHDR.
  var code: UInt8 {
    switch self {
    case .gray: 0
    case .rgb: 2
    case .palette: 3
    case .grayAlpha: 4
    case .rgba: 6
    }
  }
}
