/// The bytes of a still file as they arrive, and the information that is available before any pixel is decoded.
///
///     append ──▶ bytes ──▶ headers ──▶ ImageDecoder
///            └─▶ metadata
final class StillInput: CopiedOnWrite, @unchecked Sendable {
  /// The properties in the headers. Nil until the image's own header is available.
  private(set) var info: WebP.ImageInfo?
  /// Nil until the headers are available, and so many bytes that the limits allow an image of this size.
  var decoder: ImageDecoder?
  private(set) var metadata: MetadataCollector

  let options: WebP.DecodeOptions
  /// See `ImageDecoder`.
  private let stripRows: Int?
  private var headers = ImageHeaderParser()
  /// The bytes that decoding may still need.
  private(set) var bytes: ContiguousArray<UInt8> = []
  /// The number of bytes that have arrived.
  private(set) var count = 0
  /// The number of bytes removed from `bytes`, and the offset at which they were removed.
  private var removed = (count: 0, offset: 0)

  /// The number of bytes at the last attempt to decode, and the number at which the next attempt is worthwhile.
  private var lastAttempt = 0
  private var nextAttempt = 0

  init(options: WebP.DecodeOptions, stripRows: Int? = nil) {
    self.options = options
    self.stripRows = stripRows
    metadata = MetadataCollector(limits: options.limits)
  }

  init(copying other: StillInput) {
    info = other.info
    decoder = other.decoder
    metadata = other.metadata
    options = other.options
    stripRows = other.stripRows
    headers = other.headers
    bytes = other.bytes
    count = other.count
    removed = other.removed
    lastAttempt = other.lastAttempt
    nextAttempt = other.nextAttempt
  }

  var isFinished: Bool { decoder?.isFinished ?? false }

  /// Returns whether the decoder needs the next `more` bytes.
  ///
  /// - Throws: if these bytes exceed the limits. After the last row, they are ignored instead.
  func accepts(_ more: Int) throws(WebP.DecodeError) -> Bool {
    do {
      try options.limits.check(bytes: count, adding: more)
    } catch {
      if isFinished { return false }
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
    return info == nil || count >= nextAttempt || (count >= end && lastAttempt < end)
  }

  /// Decodes rows as far as the bytes allow.
  ///
  /// - Parameters:
  ///   - pixels: the output. This method allocates it as soon as the layout is known.
  ///   - end: see `ImageDecoder`.
  func decodeRows(
    isComplete: Bool, into pixels: inout ContiguousArray<UInt8>, before end: Int = .max
  ) throws(WebP.DecodeError) {
    lastAttempt = count
    nextAttempt = count + count / 1024 + 1
    do {
      try makeDecoder(isComplete: isComplete)
      if pixels.isEmpty, let decoder {
        pixels = ContiguousArray(repeating: 0, count: decoder.output.layout.byteCount)
      }
      let bytes = bytes
      try decoder.unique()?.decodeRows(bytes.span, isComplete: isComplete, into: &pixels, before: end)
    } catch {
      throw error.inserting(removed.count, at: removed.offset)
    }
    if isFinished { bytes = [] }
  }

  private func makeDecoder(isComplete: Bool) throws(WebP.DecodeError) {
    guard decoder == nil else { return }
    let bytes = bytes
    do {
      try headers.parse(bytes.span, need: .headers)
    } catch {
      if error.kind == .truncated, !isComplete { return }
      throw error
    }
    if info == nil {
      info = headers.info
      info?.readChunks(bytes.span)
    }
    do {
      decoder = try ImageDecoder(headers, bytes.span, options: options, stripRows: stripRows)
    } catch {
      guard error.kind == .limitExceeded, !isComplete else { throw error }
      // Not an error yet: the limits allow more pixels when more bytes have arrived. A second attempt without this
      // limit throws the errors that more bytes would not resolve.
      var options = options
      options.limits.unrestrictedPixels = .max
      _ = try ImageDecoder(headers, bytes.span, options: options, stripRows: stripRows)
    }
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
