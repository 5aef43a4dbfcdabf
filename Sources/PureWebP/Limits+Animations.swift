extension WebP.Limits {
  /// The maximum number of pixels of all canvases of an animation together that are converted.
  func convertedPixels(ofBytes count: Int) -> Int { pixelsOfFrames(ofBytes: count, times: 128) }

  /// Checks that all canvases of an animation may be converted to its output format, from the headers alone.
  package func check(allCanvasesOf animation: WebP.Animation) throws(WebP.DecodeError) {
    var budget = ConversionBudget(self, byteCount: animation.bytes.count)
    let (width, height) = (animation.width, animation.height)
    let output = try OutputGeometry(
      animation.options, width: width, height: height, isLossy: false, derivedPixels: budget.derivedPixels)
    for _ in animation.frames {
      try budget.countConversion(of: max(width * height, output.width * output.height))
    }
  }

  /// - Parameter animation: one whose frames, each of the canvas's size, are in memory at the same time.
  package func check(allFramesOf animation: WebP.Animation) throws(WebP.DecodeError) {
    let (pixels, overflow) = (Int64(animation.width) * Int64(animation.height)).multipliedReportingOverflow(
      by: Int64(animation.frameCount))
    guard !overflow, pixels <= maximumPixels else {
      throw WebP.DecodeError(.framesTooLarge, value: maximumPixels)
    }
  }
}
