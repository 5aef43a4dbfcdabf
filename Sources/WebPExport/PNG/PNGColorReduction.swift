// The lossless reduction of an image to a smaller color type (PNG specification, third edition, section 12.1).

import PureWebP

/// The properties of the colors in the rows so far.
struct PNGColorSurvey {
  /// 3 or 4: RGB or RGBA.
  let channels: Int
  fileprivate var isGray: Bool
  fileprivate var isOpaque = true
  fileprivate var palette: PaletteBuilder? = PaletteBuilder()

  /// - Parameter metadata: the metadata of the PNG. A color profile for RGB prevents a gray PNG.
  init(channels: Int, _ metadata: WebP.Metadata) {
    self.channels = channels
    isGray = metadata.icc == nil || WebP.DroppedProfile(metadata.icc, for: .rgb) != nil
  }

  /// Indicates whether the rows so far allow a smaller color type than the color type of the pixels.
  var isOpen: Bool { isGray || palette != nil || (isOpaque && channels == 4) }

  mutating func add(_ pixels: Span<UInt8>) {
    isGray = isGray && pixels.isGray(channels: channels)
    isOpaque = channels == 3 || (isOpaque && pixels.isOpaque)
    if palette?.insert(pixels, channels: channels) == false { palette = nil }
  }
}

/// The smallest color type that stores every pixel of an image, and the conversion of rows to it.
struct PNGColorReduction {
  let colorType: WebP.PNGHeader.ColorType
  private let channels: Int
  private let palette: PaletteBuilder?

  /// - Parameters:
  ///   - survey: the survey of all rows, or of the rows until it was no longer open.
  ///   - width, height: the size of the image.
  init(_ survey: PNGColorSurvey, width: Int, height: Int) {
    channels = survey.channels
    let full: WebP.PNGHeader.ColorType =
      switch (survey.isGray, survey.isOpaque) {
      case (true, true): .gray
      case (true, false): .grayAlpha
      case (false, true): .rgb
      case (false, false): .rgba
      }
    if var builder = survey.palette, builder.isWorthwhile(width: width, height: height, insteadOf: full) {
      colorType = .palette(builder.finish())
      palette = builder
    } else {
      colorType = full
      palette = nil
    }
  }

  /// Appends a row in the reduced color type.
  ///
  /// - Parameter pixels: pixels with the survey's number of channels.
  func append(_ pixels: Span<UInt8>, to output: inout ContiguousArray<UInt8>) {
    if let palette {
      palette.append(pixels, channels: channels, bitDepth: colorType.bitDepth, to: &output)
      return
    }
    let kept: [Int] =
      switch colorType {
      case .gray: [0]
      case .grayAlpha: [0, 3]
      case .rgba: [0, 1, 2, 3]
      default: [0, 1, 2]
      }
    for start in stride(from: 0, to: pixels.count, by: channels) {
      for channel in kept { output.append(pixels[start &+ channel]) }
    }
  }
}

extension Span<UInt8> {
  fileprivate func isGray(channels: Int) -> Bool {
    for start in stride(from: 0, to: count, by: channels)
    where self[start] != self[start &+ 1] || self[start] != self[start &+ 2] { return false }
    return true
  }

  /// Indicates whether all RGBA pixels are opaque.
  fileprivate var isOpaque: Bool {
    for alpha in stride(from: 3, to: count, by: 4) where self[alpha] != 255 { return false }
    return true
  }
}
