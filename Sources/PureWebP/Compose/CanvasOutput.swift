// From the canvas to what was asked for.

extension WebP.DecodeOptions {
  /// What frames are decoded with: the options that tell how, none of those that tell what the output is like, and no
  /// noise, which libwebp's animations do not have.
  func forFrames(_ format: WebP.PixelFormat, threads: WebP.Threads) -> Self {
    var options = Self()
    options.format = format
    options.upsampling = upsampling
    options.bypassesLoopFilter = bypassesLoopFilter
    options.threads = threads
    options.limits = limits
    // The demuxer has seen to it that the file has the bytes.
    options.limits.unrestrictedPixels = .max
    return options
  }

  /// The format to compose in: that of the output if frames can be composed in it, and the canvas is the output then; or
  /// R G B A, of which Output makes everything.
  var composedFormat: WebP.PixelFormat {
    switch format {
    case .rgba, .bgra, .rgbaPremultiplied, .bgraPremultiplied: keepsPicture ? format : .rgba
    default: .rgba
    }
  }

  /// Whether the output has the picture's pixels where the picture has them.
  fileprivate var keepsPicture: Bool { crop == nil && size == nil && !flipsVertically }
}

extension FrameComposer {
  /// What is on the canvas, whose format is R G B A or that of the options. Shares its memory, if it can, until the canvas
  /// changes.
  ///
  /// - Parameter part: rows of the canvas that show a part of a frame; nil once the frame is whole.
  /// - Returns: also which rows of the image are finished with these, and not before them.
  mutating func image(
    _ options: WebP.DecodeOptions, part: Range<Int>? = nil
  ) throws(WebP.DecodeError) -> (image: WebP.Image, rows: Range<Int>) {
    let output = try output(options, stride: nil)
    let rows = part ?? 0..<height
    var (pixels, imageRows) = (canvas, rows)
    if options.format != format || !options.keepsPicture {
      let pixelsGoneThrough = max(width * height, output.width * output.height)
      if part == nil {
        try allowance.countConversion(of: pixelsGoneThrough)
      } else {
        try allowanceOfParts.countConversion(of: pixelsGoneThrough)
      }
      pixels = ContiguousArray(uninitializedCount: output.layout.byteCount)
      var span = pixels.mutableSpan
      write(0..<rows.lowerBound, through: output, into: &span)
      let start = output.finishedRows
      write(rows, through: output, into: &span)
      let end = output.finishedRows
      write(rows.upperBound..<height, through: output, into: &span)
      imageRows = options.flipsVertically ? output.height - end..<output.height - start : start..<end
    }
    return (output.image(pixels, format: options.format), imageRows)
  }

  /// For a canvas that is R G B A, like the rows of lossless pictures.
  func output(_ options: WebP.DecodeOptions, stride: Int?) throws(WebP.DecodeError) -> OutputWriter {
    try OutputWriter(
      width: width, height: height, isLossy: false, options: options, derivedPixels: allowance.derivedPixels,
      stride: stride)
  }

  /// Writes a canvas that is R G B A.
  func write(through output: OutputWriter, into pixels: inout MutableSpan<UInt8>) {
    write(0..<height, through: output, into: &pixels)
  }

  private func write(_ rows: Range<Int>, through output: OutputWriter, into pixels: inout MutableSpan<UInt8>) {
    let stride = 4 * width
    output.write(
      rgba: canvas.span.extracting((rows.lowerBound * stride)...), stride: stride, rows: rows, into: &pixels)
  }
}
