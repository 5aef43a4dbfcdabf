/// What limits allow of an animation's canvases.
struct CanvasAllowance {
  let limits: WebP.Limits
  /// Of the file, or of what has come of it.
  var byteCount: Int
  /// How many pixels the canvases have had together that were converted; nil before the first one.
  private var convertedPixels: Int64?

  init(_ limits: WebP.Limits, byteCount: Int) {
    self.limits = limits
    self.byteCount = byteCount
  }

  /// How many pixels an output may have where the canvas's shape decides on it.
  var derivedPixels: Int { limits.pixels(ofBytes: byteCount) }

  /// Counts a canvas that is converted.
  ///
  /// - Parameter pixels: that are gone through.
  mutating func countConversion(of pixels: Int) throws(WebP.DecodeError) {
    guard let counted = convertedPixels else {
      // Of a first canvas limits allow the size, or the caller has chosen it.
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
