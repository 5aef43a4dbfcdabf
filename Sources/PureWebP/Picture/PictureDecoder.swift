/// The engine: one still picture, from the bytes there are to the rows they allow.
///
/// Decoding all at once is this decoder given all bytes. `bytes` is always the whole input as far as it has come;
/// between calls it may grow at its end.
///
///     StillHeaders ──▶ init: output tells how much memory to bring ──▶ decodeRows, again and again ──▶ isFinished
struct PictureDecoder {
  private(set) var output: Output
  // Spelled out, they are not nil before they are set: the first decode would wait for the runtime to learn how to destroy
  // what was there before.
  // swift-format-ignore: UseShorthandTypeNames
  private var lossy: Optional<LossyPicture>
  // swift-format-ignore: UseShorthandTypeNames
  private var lossless: Optional<LosslessPicture>

  /// Checks the limits, and takes no memory yet for pixels.
  ///
  /// - Parameters:
  ///   - headers: after a finished walk.
  ///   - stride: of the memory that rows are written to; nil: rows without gaps.
  ///   - rowsHeld: as `Output` has it.
  init(
    _ headers: StillHeaders, _ bytes: Span<UInt8>, options: WebP.DecodeOptions, stride: Int? = nil,
    rowsHeld: Int = .max
  ) throws(WebP.DecodeError) {
    if headers.isAnimated {
      throw WebP.DecodeError(.unsupported, "an animation: WebP.StreamingAnimation decodes it", chunk: .vp8X, offset: 20)
    }
    guard let stream = headers.stream, let info = headers.info else {
      throw WebP.DecodeError(.truncated, "there is no picture", offset: bytes.count)
    }
    try headers.checkSize(info, bytes, options.limits)
    let pixels = options.limits.pixels(ofBytes: bytes.count)
    switch stream {
    case .vp8(let tag):
      output = try Output(
        width: tag.width, height: tag.height, isLossy: true, options: options, derivedPixels: pixels, stride: stride,
        rowsHeld: rowsHeld)
      lossy = LossyPicture(tag, headers, options)
      lossless = nil
    case .vp8L(let header):
      output = try Output(
        width: header.width, height: header.height, isLossy: false, options: options, derivedPixels: pixels,
        stride: stride, rowsHeld: rowsHeld)
      lossy = nil
      lossless = LosslessPicture(header, headers, options.threads)
    }
  }

  var isFinished: Bool { output.isFinished }

  /// Decodes as many rows as the bytes allow.
  ///
  /// - Parameters:
  ///   - isComplete: that no more bytes will come: an end too early is an error then.
  ///   - pixels: as much memory as `output.layout` asks for, the same in each call.
  ///   - end: the output's row that decoding pauses before; it may go some rows beyond, 24 at the most if there is one
  ///     thread.
  mutating func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, into pixels: inout MutableSpan<UInt8>, before end: Int = .max
  ) throws(WebP.DecodeError) {
    output.pause = end
    do {
      try lossy?.decodeRows(bytes, isComplete: isComplete, output: &output, into: &pixels)
      try lossless?.decodeRows(bytes, isComplete: isComplete, output: &output, into: &pixels)
    } catch {
      throw error.behind(rows: output.finishedRows)
    }
  }
}

extension PictureDecoder {
  /// The same into an array, which has the memory that `output.layout` asks for from `start` on.
  @inline(never)  // a copy of the engine for each caller makes WebAssembly modules larger
  mutating func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, into pixels: inout ContiguousArray<UInt8>, from start: Int = 0,
    before end: Int = .max
  ) throws(WebP.DecodeError) {
    var pixels = pixels.mutableSpan
    var memory = pixels._mutatingExtracting(start...)
    try decodeRows(bytes, isComplete: isComplete, into: &memory, before: end)
  }
}

extension PictureDecoder {
  /// All of a picture that is not animated.
  static func image(
    _ headers: StillHeaders, _ bytes: Span<UInt8>, options: WebP.DecodeOptions
  ) throws(WebP.DecodeError) -> WebP.Image {
    var decoder = try Self(headers, bytes, options: options)
    var pixels = ContiguousArray<UInt8>(uninitializedCount: decoder.output.layout.byteCount)
    try decoder.decodeRows(bytes, isComplete: true, into: &pixels)
    return decoder.output.image(pixels, format: options.format)
  }
}

extension Output {
  /// The picture of these pixels, as many as `layout` asks for.
  func image(_ pixels: ContiguousArray<UInt8>, format: WebP.PixelFormat) -> WebP.Image {
    WebP.Image(width: width, height: height, format: format, pixels: pixels, layout: layout)
  }
}

extension StillHeaders {
  /// Whether the picture has no more pixels than the bytes allow that have come. More bytes may allow more.
  fileprivate func checkSize(
    _ info: WebP.ImageInfo, _ bytes: Span<UInt8>, _ limits: WebP.Limits
  ) throws(WebP.DecodeError) {
    guard info.width <= limits.maximumPixels / info.height else {
      throw WebP.DecodeError(.limitExceeded, "more pixels than limits.maximumPixels", offset: streamOffset)
    }
    guard info.width <= limits.pixels(ofBytes: bytes.count) / info.height else {
      throw WebP.DecodeError(.limitExceeded, "more pixels than limits allow for so few bytes", offset: streamOffset)
    }
  }
}
