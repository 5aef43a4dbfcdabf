// Which colour type a picture can have without losing anything (PNG specification, third edition, section 12.1).

import PureWebP

/// What colours the rows of a picture have.
struct PNGColorSurvey {
  /// 3 or 4: RGB or RGBA.
  let channels: Int
  fileprivate var isGrey: Bool
  fileprivate var isOpaque = true
  fileprivate var palette: PaletteBuilder? = PaletteBuilder()

  /// - Parameter metadata: of the PNG: with a profile that speaks of colours, no picture is grey.
  init(channels: Int, _ metadata: WebP.Metadata) {
    self.channels = channels
    isGrey = metadata.icc == nil || WebP.DroppedProfile(metadata.icc, for: .rgb) != nil
  }

  /// Whether the picture may still turn out to need less than RGB or RGBA.
  var isOpen: Bool { isGrey || palette != nil || (isOpaque && channels == 4) }

  mutating func add(_ pixels: Span<UInt8>) {
    isGrey = isGrey && pixels.isGrey(channels: channels)
    isOpaque = channels == 3 || (isOpaque && pixels.isOpaque)
    if palette?.insert(pixels, channels: channels) == false { palette = nil }
  }
}

/// The smallest colour type that holds every pixel of a picture, and its rows in that type.
struct PNGColorReduction {
  let colorType: WebP.PNGHeader.ColorType
  private let channels: Int
  private let palette: PaletteBuilder?

  /// - Parameters:
  ///   - survey: of all rows, or of those until it was open no more.
  ///   - width, height: of the picture.
  init(_ survey: PNGColorSurvey, width: Int, height: Int) {
    channels = survey.channels
    let full: WebP.PNGHeader.ColorType =
      switch (survey.isGrey, survey.isOpaque) {
      case (true, true): .grey
      case (true, false): .greyAlpha
      case (false, true): .rgb
      case (false, false): .rgba
      }
    if var builder = survey.palette, builder.pays(width: width, height: height, insteadOf: full) {
      colorType = .palette(builder.finish())
      palette = builder
    } else {
      colorType = full
      palette = nil
    }
  }

  /// Appends a row in the colour type that was found.
  ///
  /// - Parameter pixels: of as many channels as those of the survey.
  func append(_ pixels: Span<UInt8>, bitDepth: Int, to output: inout ContiguousArray<UInt8>) {
    if let palette {
      palette.append(pixels, channels: channels, bitDepth: bitDepth, to: &output)
      return
    }
    let kept: [Int] =
      switch colorType {
      case .grey: [0]
      case .greyAlpha: [0, 3]
      case .rgba: [0, 1, 2, 3]
      default: [0, 1, 2]
      }
    for start in stride(from: 0, to: pixels.count, by: channels) {
      for channel in kept { output.append(pixels[start &+ channel]) }
    }
  }
}

extension Span<UInt8> {
  fileprivate func isGrey(channels: Int) -> Bool {
    for start in stride(from: 0, to: count, by: channels)
    where self[start] != self[start &+ 1] || self[start] != self[start &+ 2] { return false }
    return true
  }

  /// Of RGBA.
  fileprivate var isOpaque: Bool {
    for alpha in stride(from: 3, to: count, by: 4) where self[alpha] != 255 { return false }
    return true
  }
}
