// Which colour type a picture can have without losing anything (PNG specification, third edition, section 12.1).

import PureWebP

/// The smallest colour type that holds every pixel of a picture, and its rows in that type.
struct PNGColorReduction {
  let colorType: WebP.PNGHeader.ColorType
  private let palette: PaletteBuilder?

  /// - Parameters:
  ///   - rows: RGB or RGBA.
  ///   - allowsGrey: false where an ICC profile speaks of colours.
  init(_ rows: PixelRows, allowsGrey: Bool) {
    let channels = rows.order.count
    var isGrey = allowsGrey
    var isOpaque = true
    var builder: PaletteBuilder? = PaletteBuilder()
    var row = ContiguousArray<UInt8>()
    for index in 0..<rows.image.height where isGrey || builder != nil || (isOpaque && channels == 4) {
      row.removeAll(keepingCapacity: true)
      rows.append(row: index, to: &row)
      let pixels = row.span
      isGrey = isGrey && pixels.isGrey(channels: channels)
      isOpaque = channels == 3 || (isOpaque && pixels.isOpaque)
      if builder?.insert(pixels, channels: channels) == false { builder = nil }
    }

    let full: WebP.PNGHeader.ColorType =
      switch (isGrey, isOpaque) {
      case (true, true): .grey
      case (true, false): .greyAlpha
      case (false, true): .rgb
      case (false, false): .rgba
      }
    if var builder, builder.pays(width: rows.image.width, height: rows.image.height, insteadOf: full) {
      colorType = .palette(builder.finish())
      palette = builder
    } else {
      colorType = full
      palette = nil
    }
  }

  /// Appends a row in the colour type that was found.
  ///
  /// - Parameter pixels: of as many channels as the rows had that `init` was given.
  func append(_ pixels: Span<UInt8>, channels: Int, bitDepth: Int, to output: inout ContiguousArray<UInt8>) {
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
