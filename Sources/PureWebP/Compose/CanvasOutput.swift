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

  /// The options for a canvas of this size: without a size to which the canvas, or its crop, need not be scaled. An
  /// exact size does not count as scaling, because a canvas has no chroma planes.
  func forCanvas(_ canvas: WebP.Size) -> Self {
    var options = self
    // An invalid crop is an error of the output, whose size is therefore not computed here.
    guard let window = try? CropWindow(crop, width: canvas.width, height: canvas.height, isLossy: false),
      let size = size?.size(for: window.size)
    else { return options }
    if size == window.size { options.size = nil }
    return options
  }

  /// The format of the canvas. It is the output format if frames can be composed in that format and colors need no
  /// conversion. Otherwise it is R G B A, from which all output is converted.
  var composedFormat: WebP.PixelFormat {
    format.alphaOffset == 3 && size == nil && background == nil ? format : .rgba
  }

  /// Indicates whether the output has the pixels of the canvas in their positions, apart from their format.
  fileprivate var keepsCanvas: Bool { crop == nil && size == nil && !flipsVertically && background == nil }
}

extension FrameComposer {
  /// The canvas as an image. If no conversion is necessary, the image shares the canvas's memory until the canvas
  /// changes.
  ///
  /// - Parameter part: the rows of the canvas that show an incomplete frame. Nil for a complete frame.
  /// - Returns: the image, and the range of its rows that `part` completes.
  func image(part: Range<Int>? = nil) throws(WebP.DecodeError) -> (image: WebP.Image, rows: Range<Int>) {
    let rows = part ?? 0..<height
    let format = outputOptions.format
    guard needsConversion else { return (try output(stride: nil).image(canvas, format: format), rows) }
    var output = try countedConversion(isPartial: part != nil).output
    var pixels = ContiguousArray<UInt8>(uninitializedCount: output.layout.byteCount)
    var span = pixels.mutableSpan
    write(0..<rows.lowerBound, through: &output, into: &span)
    let start = output.finishedRows
    write(rows, through: &output, into: &span)
    let end = output.finishedRows
    write(rows.upperBound..<height, through: &output, into: &span)
    let imageRows = outputOptions.flipsVertically ? output.height - end..<output.height - start : start..<end
    return (output.image(pixels, format: format), imageRows)
  }

  /// Begins a conversion, and counts it against the limits.
  func countedConversion(isPartial: Bool = false) throws(WebP.DecodeError) -> CanvasConversion {
    let conversion = CanvasConversion(try output(stride: nil), outputOptions.format)
    let pixelCount = max(width * height, conversion.output.width * conversion.output.height)
    try budget.countConversion(of: pixelCount, isPartial: isPartial)
    return conversion
  }

  /// Indicates whether the output differs from the canvas.
  var needsConversion: Bool { outputOptions.format != format || !outputOptions.keepsCanvas }

  /// Creates the writer for a canvas. The writer treats the canvas like a lossless image.
  func output(stride: Int?) throws(WebP.DecodeError) -> OutputWriter {
    var options = outputOptions
    // The bytes are written as they are.
    if options.format == format { options.format = .rgba }
    let geometry = try OutputGeometry(
      options, width: width, height: height, isLossy: false, derivedPixels: budget.derivedPixels)
    return try OutputWriter(geometry, options: options, stride: stride)
  }

  /// Writes rows of the canvas.
  fileprivate func write(_ rows: Range<Int>, through output: inout OutputWriter, into pixels: inout MutableSpan<UInt8>)
  {
    let stride = 4 * width
    let canvas = canvas
    output.write(
      rgba: canvas.span.extracting((rows.lowerBound * stride)...), stride: stride, rows: rows, into: &pixels)
  }
}

extension WebP.Image {
  /// Creates an image from the pixels of another decoder, with the crop, the size, the direction and the pixel format
  /// of the options. They are treated like the pixels of a lossless image.
  ///
  /// - Parameter rgba: R G B A, not premultiplied, in rows without gaps.
  /// - Throws: If the options do not fit the image.
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

/// The conversion of a canvas to an image, in one or more steps.
struct CanvasConversion {
  /// The writer that converts the canvas to the output.
  private(set) var output: OutputWriter
  private let format: WebP.PixelFormat
  /// The converted pixels. Empty before the first step.
  private var pixels: ContiguousArray<UInt8> = []

  init(_ output: OutputWriter, _ format: WebP.PixelFormat) {
    self.output = output
    self.format = format
  }

  /// Converts the next rows, which have about `pixelLimit` pixels. Returns the complete image in the last step.
  mutating func nextImage(of composer: FrameComposer, pixelLimit: Int) -> WebP.Image? {
    if pixels.isEmpty { pixels = ContiguousArray(uninitializedCount: output.layout.byteCount) }
    var memory = pixels.moved()
    defer { pixels = memory }
    var span = memory.mutableSpan
    write(composer, into: &span, pixelLimit: pixelLimit)
    return output.isFinished ? output.image(memory, format: format) : nil
  }

  /// Converts the next rows.
  mutating func write(_ composer: FrameComposer, into pixels: inout MutableSpan<UInt8>, pixelLimit: Int = .max) {
    let rows = min(composer.height - output.imageRows, max(1, pixelLimit / composer.width))
    composer.write(output.imageRows..<output.imageRows + rows, through: &output, into: &pixels)
  }
}

/// Renders the first frame of an animation for callers that request a still image.
final class FirstFrame {
  private let composer: FrameComposer
  private var conversion: CanvasConversion
  private let frame: DemuxedFrame
  private var isDrawn = false

  /// The layout of the output.
  var layout: WebP.Layout { conversion.output.layout }

  /// Checks the file's structure, the limits and the options.
  ///
  /// - Parameter stride: the stride of the memory that rows are written to. Nil for rows without gaps.
  init(_ bytes: Span<UInt8>, options: WebP.DecodeOptions, stride: Int? = nil) throws(WebP.DecodeError) {
    var demuxer = Demuxer(limits: options.limits.plain)
    try WebP.DecodeError.converting(try demuxer.read(bytes, isComplete: true))
    frame = demuxer.newFrames[0]
    composer = try FrameComposer(
      WebP.Size(width: demuxer.width, height: demuxer.height), byteCount: bytes.count, options: options)
    conversion = CanvasConversion(try composer.output(stride: stride), options.format)
  }

  /// Decodes the frame into the caller's memory, whose layout is ``layout``.
  ///
  /// - Throws: The frame's error. No rows are output then.
  func write(_ bytes: Span<UInt8>, into pixels: inout MutableSpan<UInt8>) throws(WebP.DecodeError) {
    try draw(bytes, pixelLimit: .max)
    conversion.write(composer, into: &pixels)
  }

  /// Decodes the frame, and converts the canvas. Returns the complete canvas in the last step.
  ///
  /// - Parameter pixelLimit: about the number of pixels that one step decodes or converts.
  func nextImage(_ bytes: Span<UInt8>, pixelLimit: Int) throws(WebP.DecodeError) -> WebP.Image? {
    try draw(bytes, pixelLimit: pixelLimit)
    guard isDrawn else { return nil }
    guard composer.needsConversion else { return try composer.image().image }
    return conversion.nextImage(of: composer, pixelLimit: pixelLimit)
  }

  private func draw(_ bytes: Span<UInt8>, pixelLimit: Int) throws(WebP.DecodeError) {
    if !isDrawn { isDrawn = try composer.draw(frame, number: 0, bytes, isComplete: true, pixelLimit: pixelLimit) }
  }
}
