internal import WebPFormat

/// Decodes one still image incrementally: each call decodes the rows for which enough bytes have been received.
///
/// To decode a complete file in one call, pass all of its bytes. `bytes` is always the complete input received so far,
/// without the bytes that `releaseConsumedBytes` returned.
///
///     ImageHeaderParser ──▶ init: `output` has the memory size ──▶ decodeRows, repeatedly ──▶ isFinished
/// `@unchecked Sendable` is safe because the values that share a decoder copy it before they change it.
final class ImageDecoder: CopiedOnWrite, @unchecked Sendable {
  private(set) var output: OutputWriter
  /// False if the limits allow an image of this size only when more bytes have arrived. The decoder is useless then.
  let isAllowed: Bool
  private let headers: ImageHeaderParser
  private let options: WebP.DecodeOptions
  /// Nil until the frame header has been read, and for lossless images.
  private var lossy: Optional<LossyPipeline>
  /// Nil until the prefix codes have been read, and for lossy images.
  private var lossless: Optional<LosslessPipeline>
  /// The number of bytes that must be available before the header of a lossless stream is parsed: an eighth of the
  /// stream, as in libwebp. Each further attempt waits for a quarter more, or for the complete stream, so that a header
  /// that arrives slowly is parsed only a few times.
  private var headerAttempt: Int

  /// Checks the limits. Allocates no memory for pixels.
  ///
  /// - Parameters:
  ///   - headers: the headers after a successful `parse`.
  ///   - stride: the stride of the memory that rows are written to; nil for rows without gaps.
  ///   - stripRows: see `OutputWriter`.
  ///   - isComplete: no more bytes will arrive, so `isAllowed` is true.
  @inline(never)  // several callers
  init(
    _ headers: ImageHeaderParser, _ bytes: Span<UInt8>, options: WebP.DecodeOptions, stride: Int? = nil,
    stripRows: Int? = nil, isComplete: Bool = true
  ) throws(WebP.DecodeError) {
    if headers.isAnimated {
      throw WebP.DecodeError(.animation, chunk: .vp8X, offset: ExtendedHeader.featuresOffset)
    }
    let (limits, count) = (options.limits.plain, bytes.count)
    let isInLimits = try WebP.DecodeError.converting(
      try limits.allow(headers, byteCount: count, isComplete: isComplete))
    let size = headers.stream?.size ?? (width: 0, height: 0)  // never nil, because `allow` has used it
    let allowed = limits.pixels(ofBytes: count)
    let geometry = try OutputGeometry(
      options, width: size.width, height: size.height, isLossy: headers.streamType == .vp8,
      derivedPixels: isComplete ? allowed : .max)
    isAllowed = isInLimits && geometry.derivedPixels <= allowed
    output = try OutputWriter(geometry, options: options, stride: stride, stripRows: stripRows)
    self.headers = headers
    self.options = options
    headerAttempt = headers.streamOffset + Int(clamping: headers.streamSize / 8)
    (lossy, lossless) = (nil, nil)
  }

  init(copying other: ImageDecoder) {
    output = other.output
    isAllowed = other.isAllowed
    headers = other.headers
    options = other.options
    lossy = other.lossy
    lossless = other.lossless
    headerAttempt = other.headerAttempt
  }

  var isFinished: Bool { output.isFinished }

  /// Returns the range of bytes that decoding no longer needs, or nil if it has fewer than `count` bytes. The caller
  /// must remove the range from the input before the next call.
  func releaseConsumedBytes(atLeast count: Int) -> Range<Int>? {
    lossy.unique()?.releaseConsumedBytes(atLeast: count)
      ?? lossless.unique()?.releaseConsumedBytes(atLeast: count)
  }

  /// Decodes as many rows as the bytes allow.
  ///
  /// - Parameters:
  ///   - isComplete: no more bytes will arrive, so a premature end is an error.
  ///   - pixels: memory for `output.layout`, the same in each call.
  ///   - end: the output row before which decoding pauses. Decoding may exceed it by some rows; with one thread, by at
  ///     most 24.
  ///   - pixelLimit: about the number of the image's pixels after which decoding pauses.
  @inline(never)  // several callers
  func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, into pixels: inout MutableSpan<UInt8>, before end: Int = .max,
    pixelLimit: Int = .max
  ) throws(WebP.DecodeError) {
    output.pause(before: end, afterPixels: pixelLimit)
    guard try readStreamHeader(bytes, isComplete: isComplete) else { return }
    do {
      try lossy.unique()?.decodeRows(bytes, isComplete: isComplete, &output, into: &pixels, pixelLimit: pixelLimit)
      try lossless.unique()?.decodeRows(bytes, isComplete: isComplete, &output, into: &pixels)
    } catch {
      throw error.with(finishedRows: output.finishedRows)
    }
  }

  /// Reads the part of the bitstream that precedes the rows: the header of a lossy frame, or the transforms and prefix
  /// codes of a lossless image. `decodeRows` calls it.
  ///
  /// - Returns: whether the part is available. If not, the decoder needs more bytes.
  func readStreamHeader(_ bytes: Span<UInt8>, isComplete: Bool) throws(WebP.DecodeError) -> Bool {
    if lossy != nil || lossless != nil { return true }
    switch headers.stream {
    case .vp8(let tag): try readHeader(tag, bytes, isComplete: isComplete)
    case .vp8L(let header): try readHeader(header, bytes, isComplete: isComplete)
    case nil: break
    }
    return lossy != nil || lossless != nil
  }

  /// Decodes the next rows to other positions of the memory: see `OutputWriter`.
  func place(in layout: WebP.Layout) { output.place(in: layout) }

  private func readHeader(_ tag: FrameTag, _ bytes: Span<UInt8>, isComplete: Bool) throws(WebP.DecodeError) {
    let layout = try WebP.DecodeError.converting(
      try PartitionLayout(
        tag, at: headers.streamOffset, chunkSize: headers.streamSize, bytes, isComplete: isComplete))
    if let layout { lossy = LossyPipeline(layout, alphaPayload: headers.alpha, options, output) }
  }

  private func readHeader(
    _ header: LosslessHeader, _ bytes: Span<UInt8>, isComplete: Bool
  ) throws(WebP.DecodeError) {
    guard isComplete || bytes.count >= headerAttempt else { return }
    let start = headers.streamOffset + LosslessHeader.byteCount
    // Images with few bytes, such as drawings, are decoded faster than their pixels pass from thread to thread. The
    // limits are 32 and 512 KiB, and lower for the small batches of tests.
    let byteCount = headers.streamEnd - start
    let unit = options.threads.batchPixels
    let threads = byteCount < unit / 2 ? .one : options.threads
    // A batch needs eight bytes of memory per pixel. Small batches are as fast as large ones, so `part: 8` limits a
    // batch to an eighth of the usual number of pixels.
    let share = threads.share(
      width: header.width, height: header.height, rowsTogether: ParsedRows.together, part: 8,
      minimum: byteCount < 8 * unit ? 16 : 4)
    let parameters = try LosslessParameters(
      LosslessStream(start: start, end: nil, isAlpha: false), width: header.width, height: header.height, bytes,
      isComplete: isComplete)
    if let parameters {
      lossless = LosslessPipeline(
        parameters, bitCount: 8 * Int64(byteCount), share.threads, batchRows: share.rows)
    }
    headerAttempt = bytes.count + bytes.count / 4
    if bytes.count < headers.streamEnd { headerAttempt = min(headerAttempt, headers.streamEnd) }
  }
}

extension ImageDecoder {
  /// Decodes rows into an array. From index `start` on, it must have room for `output.layout`.
  @inline(never)  // copies for each caller would enlarge WebAssembly modules
  func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, into pixels: inout ContiguousArray<UInt8>, from start: Int = 0,
    before end: Int = .max, pixelLimit: Int = .max
  ) throws(WebP.DecodeError) {
    var pixels = pixels.mutableSpan
    var memory = pixels._mutatingExtracting(start...)
    try decodeRows(bytes, isComplete: isComplete, into: &memory, before: end, pixelLimit: pixelLimit)
  }
}

extension ImageDecoder {
  /// Decodes a complete image that is not animated.
  static func image(
    _ headers: ImageHeaderParser, _ bytes: Span<UInt8>, options: WebP.DecodeOptions
  ) throws(WebP.DecodeError) -> WebP.Image {
    let decoder = try ImageDecoder(headers, bytes, options: options)
    var pixels = ContiguousArray<UInt8>(uninitializedCount: decoder.output.layout.byteCount)
    var memory = pixels.mutableSpan
    try decoder.decodeRows(bytes, isComplete: true, into: &memory)
    return decoder.output.image(pixels, format: options.format)
  }
}

extension OutputWriter {
  /// The image with these pixels, whose layout is `layout`.
  func image(_ pixels: ContiguousArray<UInt8>, format: WebP.PixelFormat) -> WebP.Image {
    WebP.Image(width: width, height: height, format: format, pixels: pixels, layout: layout)
  }
}
