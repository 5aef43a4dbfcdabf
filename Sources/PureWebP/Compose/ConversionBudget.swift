internal import WebPFormat

/// Counts the pixels of the converted canvases of an animation against the limits.
struct ConversionBudget {
  let limits: WebP.Limits
  /// The number of bytes of the file that have arrived.
  var byteCount: Int
  /// The number of counted pixels. Nil before the first canvas.
  private var convertedPixels: Int64?

  init(_ limits: WebP.Limits, byteCount: Int) {
    self.limits = limits
    self.byteCount = byteCount
  }

  /// The maximum number of output pixels if the canvas's aspect ratio determines the output size.
  var derivedPixels: Int { limits.pixels(ofBytes: byteCount) }

  /// Counts the conversion of a canvas.
  ///
  /// - Parameter pixels: the number of pixels that are processed.
  mutating func countConversion(of pixels: Int) throws(WebP.DecodeError) {
    guard let counted = convertedPixels else {
      // The first canvas is not counted: either its size has been checked already, or the caller has chosen it.
      convertedPixels = 0
      return
    }
    let all = counted + Int64(pixels)
    func isTooMuch(for limit: Int) -> Bool { limit < .max && all > Int64(limit) }
    guard !isTooMuch(for: limits.maximumAnimationPixels) else {
      throw WebP.DecodeError(.conversionTooLarge, value: limits.maximumAnimationPixels)
    }
    guard !isTooMuch(for: limits.convertedPixels(ofBytes: byteCount)) else {
      throw WebP.DecodeError(.conversionTooLargeForFile, value: limits.maximumPixelsPerByte)
    }
    convertedPixels = all
  }
}
