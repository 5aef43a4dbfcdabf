// The lossless reduction of an image to a smaller color type (PNG specification, third edition, section 12.1).

import PureWebP

/// The properties of the colors in the rows so far.
struct PNGColorSurvey {
  /// 3 or 4: RGB or RGBA.
  let channels: Int
  fileprivate var isGray: Bool
  fileprivate var isOpaque = true
  /// Indicates whether ``palette`` has all colors.
  private(set) var fitsPalette = true
  private(set) var palette = PaletteBuilder()

  /// - Parameter metadata: the metadata of the PNG. A color profile for RGB prevents a gray PNG.
  init(channels: Int, _ metadata: WebP.Metadata) {
    self.channels = channels
    isGray = metadata.icc == nil || WebP.DroppedProfile(metadata.icc, for: .rgb) != nil
  }

  /// Indicates whether the rows so far allow a smaller color type than the color type of the pixels.
  var isOpen: Bool { isGray || fitsPalette || (isOpaque && channels == 4) }

  /// The smallest color type without a palette.
  var sampleType: WebP.PNGHeader.ColorType {
    switch (isGray, isOpaque) {
    case (true, true): .gray
    case (true, false): .grayAlpha
    case (false, true): .rgb
    case (false, false): .rgba
    }
  }

  /// - Parameter indices: receives the indices of the pixels in the palette. They are complete if ``fitsPalette``.
  mutating func add(_ pixels: Span<UInt8>, to indices: inout ContiguousArray<UInt8>) {
    isGray = isGray && pixels.isGray(channels: channels)
    isOpaque = channels == 3 || (isOpaque && pixels.isOpaque)
    if fitsPalette { fitsPalette = palette.insert(pixels, channels: channels, to: &indices) }
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
    var builder = survey.palette
    if survey.fitsPalette, builder.isWorthwhile(width: width, height: height, insteadOf: survey.sampleType) {
      colorType = .palette(builder.finish())
      palette = builder
    } else {
      colorType = survey.sampleType
      palette = nil
    }
  }

  /// Appends a row in the reduced color type.
  ///
  /// - Parameter pixels: pixels with the survey's number of channels.
  func append(_ pixels: Span<UInt8>, to output: inout ContiguousArray<UInt8>) {
    if let palette {
      palette.append(pixels, channels: channels, bitDepth: colorType.bitDepth, to: &output)
    } else {
      colorType.append(pixels, channels: channels, to: &output)
    }
  }

  /// Appends a row of indices in the palette of the survey.
  ///
  /// - Returns: false if the reduced color type has no palette.
  func append(indices: Span<UInt8>, to output: inout ContiguousArray<UInt8>) -> Bool {
    palette?.append(indices: indices, bitDepth: colorType.bitDepth, to: &output)
    return palette != nil
  }
}

extension WebP.PNGHeader.ColorType {
  /// The samples of an RGBA pixel that a pixel of this type has. Three for a palette.
  var samples: [Int] {
    switch self {
    case .gray: [0]
    case .grayAlpha: [0, 3]
    case .rgba: [0, 1, 2, 3]
    default: [0, 1, 2]
    }
  }

  /// Appends the samples that pixels of this type have.
  ///
  /// - Parameter channels: the number of samples of each given pixel: 3 or 4.
  func append(_ pixels: Span<UInt8>, channels: Int, to output: inout ContiguousArray<UInt8>) {
    let samples = samples
    for start in stride(from: 0, to: pixels.count, by: channels) {
      for sample in samples { output.append(pixels[start &+ sample]) }
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
