internal import WebPFormat

/// Counts the pixels of the converted canvases of an animation against the limits.
struct ConversionBudget {
  let limits: FormatLimits
  /// The number of bytes of the file that have arrived.
  var byteCount: Int
  /// The number of counted pixels of complete and of partial frames. Nil before the first canvas. They are separate, so
  /// that partial frames never cause complete frames to be rejected.
  private(set) var converted: (complete: Int64?, partial: Int64?)

  /// The maximum number of output pixels if the canvas's aspect ratio determines the output size.
  var derivedPixels: Int { limits.pixels(ofBytes: byteCount) }

  /// Counts the conversion of a canvas.
  ///
  /// - Parameters:
  ///   - pixels: the number of pixels that are processed.
  ///   - isPartial: whether the canvas shows an incomplete frame.
  mutating func countConversion(of pixels: Int, isPartial: Bool = false) throws(WebP.DecodeError) {
    // The first canvas is not counted: either its size has been checked already, or the caller has chosen it.
    let all = (isPartial ? converted.partial : converted.complete).map { $0 + Int64(pixels) } ?? 0
    func isTooMuch(for limit: Int) -> Bool { limit < .max && all > Int64(limit) }
    guard !isTooMuch(for: limits.maximumAnimationPixels) else {
      throw WebP.DecodeError(.conversionTooLarge, value: limits.maximumAnimationPixels)
    }
    guard !isTooMuch(for: limits.convertedPixels(ofBytes: byteCount)) else {
      throw WebP.DecodeError(.conversionTooLargeForFile, value: limits.maximumPixelsPerByte)
    }
    if isPartial { converted.partial = all } else { converted.complete = all }
  }
}
