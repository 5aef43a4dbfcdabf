internal import WebPFormat

/// The decoding of one still image: its bytes as they arrive, its headers, its decoder and its pixels.
///
///     append ──▶ bytes ──▶ headers ──▶ ImageDecoder ──▶ pixels
///            └─▶ metadata
///
/// `StreamingDecoder` and `RowDecoder` share it until one of their copies changes it. `decodeInBackground` decodes in
/// steps.
///
/// `@unchecked Sendable` is safe because the values that share a session copy it before they change it.
final class StillSession: CopiedOnWrite, @unchecked Sendable {
  /// The properties in the headers. Nil until the image's own header is available.
  private var header: Optional<WebP.ImageInfo>
  /// Nil until the headers are available, and so many bytes that the limits allow an image of this size.
  private(set) var decoder: Optional<ImageDecoder>
  private(set) var metadata: MetadataCollector
  /// The output: the image, or the rows of a strip. Empty until the layout is known. Decoding begins when it has been
  /// cleared completely.
  private(set) var pixels: ContiguousArray<UInt8>
  /// The orientation of the metadata, if it is known before the pixels and applies to the image.
  private var orientation: Optional<WebP.Orientation>
  /// The complete image with the orientation of the metadata. Nil until all bytes have arrived.
  private var oriented: Optional<WebP.Image>
  /// The error that ended decoding. Further calls throw it again.
  var failure: Optional<WebP.DecodeError>

  let options: WebP.DecodeOptions
  /// See `ImageDecoder`.
  private let stripRows: Int?
  /// The number of bytes of which the distance between rows is a multiple. Above 1, `pixels` has the bytes after the
  /// last row too, and the format is packed.
  private let rowAlignment: Int
  private var headers: ImageHeaderParser
  /// The bytes that decoding may still need.
  private(set) var bytes: ContiguousArray<UInt8>
  /// The number of bytes that have arrived.
  private(set) var count: Int
  /// Indicates whether no more bytes will arrive.
  var isEnded: Bool
  /// The number of bytes removed from `bytes`, and the offset at which they were removed.
  private var removed: (count: Int, offset: Int)

  /// The number of bytes at the last attempt to decode, and the number at which the next attempt is worthwhile.
  private var attempts: (last: Int, next: Int)

  init(options: WebP.DecodeOptions, stripRows: Int? = nil, rowAlignment: Int = 1) {
    self.options = options
    self.stripRows = stripRows
    self.rowAlignment = rowAlignment
    metadata = MetadataCollector(limits: options.limits)
    (header, decoder, pixels, orientation, oriented, failure) = (nil, nil, [], nil, nil, nil)
    (headers, bytes, count, isEnded) = (ImageHeaderParser(), [], 0, false)
    removed = (0, 0)
    attempts = (0, 0)
  }

  init(copying other: StillSession) {
    header = other.header
    decoder = other.decoder
    metadata = other.metadata
    pixels = other.pixels
    orientation = other.orientation
    oriented = other.oriented
    failure = other.failure
    options = other.options
    stripRows = other.stripRows
    rowAlignment = other.rowAlignment
    headers = other.headers
    bytes = other.bytes
    count = other.count
    isEnded = other.isEnded
    removed = other.removed
    attempts = other.attempts
  }

  /// Starts with all bytes of a file, whose metadata is not collected.
  ///
  /// - Parameter headers: the headers after a successful `init(forDecoding:)`.
  convenience init(
    _ headers: ImageHeaderParser, _ file: ContiguousArray<UInt8>, options: WebP.DecodeOptions, stripRows: Int? = nil
  ) {
    self.init(options: options, stripRows: stripRows)
    (self.headers, bytes, count) = (headers, file, file.count)
  }

  /// The properties that are known. Nil until the image's own header is available.
  var info: WebP.PrefixInfo? {
    guard let header else { return nil }
    return WebP.PrefixInfo(
      header, metadata, count: isEnded ? count : nil, isComplete: isEnded || metadata.isComplete)
  }
  var finishedRows: Int { decoder?.output.finishedRows ?? 0 }
  /// The size of the output, in pixels.
  var size: WebP.Size? { decoder.map { WebP.Size(width: $0.output.width, height: $0.output.height) } }
  var isFinished: Bool { decoder?.isFinished ?? false }
  /// Indicates whether decoding stopped at a limit, and can continue with the bytes that are available.
  var isPaused: Bool { decoder.map { $0.output.isPaused || pixels.count < memoryCount($0.output.layout) } ?? false }

  /// The image with its finished rows, or the oriented image. The other rows are zeros. Nil until there is a decoder
  /// with memory.
  var image: WebP.Image? {
    if let oriented { return oriented }
    guard let output = decoder?.output, pixels.count == memoryCount(output.layout) else { return nil }
    return output.image(pixels, format: options.format)
  }

  /// Returns whether the decoder needs the next `more` bytes.
  ///
  /// - Throws: If these bytes exceed the limits. After the last row, they are ignored instead.
  func accepts(_ more: Int) throws(WebP.DecodeError) -> Bool {
    if let failure { throw failure }
    do {
      try options.limits.check(bytes: count, adding: more)
    } catch {
      if isFinished { return false }
      failure = error
      throw error
    }
    return !isFinished || !metadata.isComplete
  }

  /// Appends the next bytes. After the last row, only metadata is stored.
  func append(_ next: Span<UInt8>) {
    metadata.append(next)
    count += next.count
    if !isFinished { bytes.append(copying: next) }
  }

  /// Indicates whether enough new bytes are available for another attempt to decode.
  ///
  /// Each attempt has a fixed cost, so the next one waits until the number of bytes has grown by a thousandth. Headers,
  /// which are read incrementally, and the end of the image do not wait.
  var isDue: Bool {
    let end = headers.streamEnd
    return header == nil || count >= attempts.next || (count >= end && attempts.last < end)
  }

  /// Decodes rows as far as the bytes allow.
  ///
  /// - Parameters:
  ///   - end: see `ImageDecoder`.
  ///   - pixelLimit: about the number of pixels after which decoding pauses. Clearing the pixels is a part of the work.
  func decodeRows(isComplete: Bool, before end: Int = .max, pixelLimit: Int = .max) throws(WebP.DecodeError) {
    if let failure { throw failure }
    attempts = (count, count + count / 1024 + 1)
    do {
      let bytes = bytes
      if decoder == nil { try makeDecoder(bytes.span, isComplete: isComplete) }
      guard let decoder = decoder.unique(),
        pixels.appendZeros(upTo: memoryCount(decoder.output.layout), pixelLimit: pixelLimit)
      else { return }
      try decoder.decodeRows(
        bytes.span, isComplete: isComplete, into: &pixels, before: end, pixelLimit: pixelLimit)
    } catch {
      let error = error.inserting(removed.count, at: removed.offset)
      failure = error
      throw error
    }
    if isFinished, !mayDecodeAgain { bytes = [] }
  }

  /// Indicates whether the size of the output depends on an orientation that is not known yet.
  private var mayDecodeAgain: Bool { options.isUpright && options.size != nil && orientation == nil }

  /// Orients the complete image as the metadata specifies. If the size of the options was meant for the other
  /// direction, the image is decoded again.
  func orient() throws(WebP.DecodeError) {
    let orientation = self.orientation ?? metadata.metadata.orientation ?? .up
    let (before, bytes) = (options.beforeOrienting(orientation), bytes)
    if isFinished, mayDecodeAgain, before.size != options.size {
      oriented = try ImageDecoder.image(headers, bytes.span, options: before).oriented(orientation)
    } else {
      oriented = image?.oriented(orientation)
    }
    (self.bytes, pixels) = ([], [])
  }

  private func makeDecoder(_ bytes: Span<UInt8>, isComplete: Bool) throws(WebP.DecodeError) {
    do {
      try headers.parse(bytes, need: .headers)
    } catch {
      if error.kind == .truncated, !isComplete { return }
      throw WebP.DecodeError(error)
    }
    header = header ?? headers.info
    if options.isUpright, metadata.isComplete { orientation = metadata.metadata.orientation ?? .up }
    let options = options.beforeOrienting(orientation ?? .up)
    let new = try ImageDecoder(headers, bytes, options: options, stripRows: stripRows, isComplete: isComplete)
    guard new.isAllowed else { return }
    if rowAlignment > 1 {
      let rowBytes = new.output.layout.planes[0].rowBytes
      let stride = (rowBytes + rowAlignment - 1) / rowAlignment * rowAlignment
      new.place(in: try new.output.geometry.layout(options.format, stride: stride))
    }
    decoder = new
  }

  /// The number of bytes that `pixels` has.
  private func memoryCount(_ layout: WebP.Layout) -> Int {
    max(layout.byteCount, layout.planes[0].stride * layout.planes[0].rows)
  }

  /// Continues in other memory, so that pixels which the caller has retained are not copied.
  ///
  /// - Parameters:
  ///   - memory: earlier pixels of this session. Nil for new memory.
  ///   - rows: the finished rows that the memory lacks.
  func move(to memory: consuming ContiguousArray<UInt8>?, lacking rows: Range<Int>) {
    guard let plane = decoder?.output.layout.planes[0], !pixels.isEmpty else { return }
    var memory = memory ?? ContiguousArray(filledWith: 0, count: pixels.count)
    let start = rows.lowerBound * plane.stride
    memory.copy(rows.count * plane.stride, from: pixels.span, at: start, to: start)
    pixels = memory
  }

  /// Frees the bytes that are no longer needed, if they are at least half of all stored bytes. So the total cost of
  /// copying the rest is linear.
  func releaseConsumedBytes() {
    let least = max(1 << 15, bytes.count / 2)
    guard !isFinished, let range = decoder.unique()?.releaseConsumedBytes(atLeast: least) else { return }
    // A new array, because an array does not free its unused capacity.
    var rest = ContiguousArray<UInt8>()
    rest.reserveCapacity(bytes.count - range.count)
    rest += bytes[..<range.lowerBound]
    rest += bytes[range.upperBound...]
    bytes = rest
    removed = (removed.count + range.count, range.lowerBound)
  }
}

extension WebP.DecodeError {
  /// The same error in a file that has `count` more bytes, inserted at `start`.
  fileprivate func inserting(_ count: Int, at start: Int) -> Self {
    guard let offset, offset > start, count > 0 else { return self }
    return with(frame: frame, offset: count).with(finishedRows: finishedRows)
  }
}
