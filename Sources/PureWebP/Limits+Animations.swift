extension WebP.Limits {
  /// The maximum sum of the pixels of all canvases that are converted, for an animation of `count` bytes.
  func convertedPixels(ofBytes count: Int) -> Int { pixelsOfFrames(ofBytes: count, times: 128) }

  /// Checks that the limits allow the conversion of all canvases of an animation to its output format. Only the headers
  /// are needed.
  package func check(allCanvasesOf animation: WebP.Animation) throws(WebP.DecodeError) {
    var budget = ConversionBudget(self, byteCount: animation.bytes.count)
    let (width, height) = (animation.width, animation.height)
    let output = try OutputGeometry(
      animation.options, width: width, height: height, isLossy: false, derivedPixels: budget.derivedPixels)
    for _ in animation.frames {
      try budget.countConversion(of: max(width * height, output.width * output.height))
    }
  }

  /// Checks that the limits allow all composed frames, each of the canvas's size, to be in memory at the same time.
  package func check(allFramesOf animation: WebP.Animation) throws(WebP.DecodeError) {
    let (pixels, overflow) = (Int64(animation.width) * Int64(animation.height)).multipliedReportingOverflow(
      by: Int64(animation.frameCount))
    guard !overflow, pixels <= maximumPixels else {
      throw WebP.DecodeError(.framesTooLarge, value: maximumPixels)
    }
  }
}
