/// The number of pixels that the limits allow for the canvases of an animation.
struct ConversionBudget {
  let limits: WebP.Limits
  /// The number of bytes of the file that have arrived.
  var byteCount: Int
  /// The number of pixels of all converted canvases so far. Nil before the first one.
  private var convertedPixels: Int64?

  init(_ limits: WebP.Limits, byteCount: Int) {
    self.limits = limits
    self.byteCount = byteCount
  }

  /// The maximum number of output pixels if the canvas's aspect ratio determines the size.
  var derivedPixels: Int { limits.pixels(ofBytes: byteCount) }

  /// Counts the conversion of a canvas.
  ///
  /// - Parameter pixels: the number of pixels that are processed.
  mutating func countConversion(of pixels: Int) throws(WebP.DecodeError) {
    guard let counted = convertedPixels else {
      // The first canvas is free: the limits allow its size, or the caller has chosen it.
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
