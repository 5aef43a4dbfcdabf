// Conversion of the canvas to the output that the options specify.

internal import WebPFormat

extension WebP.DecodeOptions {
  /// Returns the options for decoding frames. They include the options of the bitstream decoders, but no output
  /// options. Dithering is off, as in libwebp's animations.
  func forFrames(_ format: WebP.PixelFormat, threads: WebP.Threads) -> Self {
    var options = Self()
    options.format = format
    options.upsampling = upsampling
    options.bypassesLoopFilter = bypassesLoopFilter
    options.threads = threads
    options.limits = limits
    // The demuxer has already checked the pixels against the bytes of the file.
    options.limits.unrestrictedPixels = .max
    return options
  }

  /// The format of the canvas. It is the output format if frames can be composed in that format, which makes conversion
  /// unnecessary. Otherwise it is R G B A, from which all output is converted.
  var composedFormat: WebP.PixelFormat {
    switch format {
    case .rgba, .bgra, .rgbaPremultiplied, .bgraPremultiplied: keepsPixelPositions ? format : .rgba
    default: .rgba
    }
  }

  /// Indicates whether the output is the unchanged canvas: neither cropped, scaled nor flipped.
  fileprivate var keepsPixelPositions: Bool { crop == nil && size == nil && !flipsVertically }
}

extension FrameComposer {
  /// The canvas as an image. If no conversion is necessary, the image shares the canvas's memory until the canvas
  /// changes.
  ///
  /// - Parameter part: the rows of the canvas that show an incomplete frame. Nil for a complete frame.
  /// - Returns: the image, and the range of its rows that `part` completes.
  func image(
    _ options: WebP.DecodeOptions, part: Range<Int>? = nil
  ) throws(WebP.DecodeError) -> (image: WebP.Image, rows: Range<Int>) {
    var output = try output(options, stride: nil)
    let rows = part ?? 0..<height
    var (pixels, imageRows) = (canvas, rows)
    if options.format != format || !options.keepsPixelPositions {
      let pixelCount = max(width * height, output.width * output.height)
      if part == nil {
        try budget.countConversion(of: pixelCount)
      } else {
        try partialFrameBudget.countConversion(of: pixelCount)
      }
      pixels = ContiguousArray(uninitializedCount: output.layout.byteCount)
      var span = pixels.mutableSpan
      write(0..<rows.lowerBound, through: &output, into: &span)
      let start = output.finishedRows
      write(rows, through: &output, into: &span)
      let end = output.finishedRows
      write(rows.upperBound..<height, through: &output, into: &span)
      imageRows = options.flipsVertically ? output.height - end..<output.height - start : start..<end
    }
    return (output.image(pixels, format: options.format), imageRows)
  }

  /// Creates the writer for an R G B A canvas. The writer treats the canvas like a lossless image.
  func output(_ options: WebP.DecodeOptions, stride: Int?) throws(WebP.DecodeError) -> OutputWriter {
    let geometry = try OutputGeometry(
      options, width: width, height: height, isLossy: false, derivedPixels: budget.derivedPixels)
    return try OutputWriter(geometry, options: options, stride: stride)
  }

  /// Writes an R G B A canvas.
  func write(through output: inout OutputWriter, into pixels: inout MutableSpan<UInt8>) {
    write(0..<height, through: &output, into: &pixels)
  }

  private func write(_ rows: Range<Int>, through output: inout OutputWriter, into pixels: inout MutableSpan<UInt8>) {
    let stride = 4 * width
    let canvas = canvas
    output.write(
      rgba: canvas.span.extracting((rows.lowerBound * stride)...), stride: stride, rows: rows, into: &pixels)
  }
}

extension WebP.Image {
  /// Creates an image from the pixels of another decoder, with the crop, the size, the direction and the pixel format of
  /// the options. They are treated like the pixels of a lossless image.
  ///
  /// - Parameter rgba: R G B A, not premultiplied, in rows without gaps.
  /// - Throws: if the options do not fit the image.
  package init(
    rgba: ContiguousArray<UInt8>, width: Int, height: Int, options: WebP.DecodeOptions
  ) throws(WebP.DecodeError) {
    precondition(rgba.count == 4 * width * height)
    let geometry = try OutputGeometry(options, width: width, height: height, isLossy: false)
    var output = try OutputWriter(geometry, options: options, stride: nil)
    var pixels = ContiguousArray<UInt8>(uninitializedCount: output.layout.byteCount)
    var span = pixels.mutableSpan
    output.write(rgba: rgba.span, stride: 4 * width, rows: 0..<height, into: &span)
    self = output.image(pixels, format: options.format)
  }
}
