// From the canvas to what was asked for.

extension WebP.DecodeOptions {
  /// What frames are decoded with to be composed: that the canvas has the format asked for, or one that Output can make
  /// it of.
  var forFrames: Self {
    var options = Self()
    options.format = isComposedDirectly ? format : .rgba
    options.upsampling = upsampling
    options.bypassesLoopFilter = bypassesLoopFilter
    options.limits = limits
    return options
  }

  /// Whether the canvas, as it is composed, is what was asked for.
  fileprivate var isComposedDirectly: Bool {
    guard crop == nil, size == nil, !flipsVertically else { return false }
    switch format {
    case .rgba, .bgra, .rgbaPremultiplied, .bgraPremultiplied: return true
    default: return false
    }
  }
}

extension FrameComposer {
  /// What is on the canvas. Shares its memory, if it can, until the canvas changes.
  func image(_ options: WebP.DecodeOptions) throws(WebP.DecodeError) -> WebP.Image {
    // A lossless picture's rows are R G B A, like the canvas's.
    var output = try Output(width: width, height: height, isLossy: false, options: options, stride: nil)
    let layout = output.layout
    var pixels = canvas
    if !options.isComposedDirectly {
      pixels = ContiguousArray(uninitializedCount: layout.byteCount)
      var span = pixels.mutableSpan
      write(through: &output, into: &span)
    }
    return WebP.Image(
      width: output.width, height: output.height, format: options.format, pixels: pixels, layout: layout)
  }

  /// Writes the canvas, if it is R G B A, the way `output` was made to.
  func write(through output: inout Output, into pixels: inout MutableSpan<UInt8>) {
    output.write(rgba: canvas.span, stride: 4 * width, rows: 0..<height, into: &pixels)
  }
}
