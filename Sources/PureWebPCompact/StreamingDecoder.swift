internal import WebPFormat

extension WebPCompact {
  /// Decodes the rows of a still image while its bytes arrive.
  ///
  /// After an error, and after the last row, further bytes are ignored.
  public struct StreamingDecoder: ~Copyable {
    private let limits: FormatLimits
    /// The bytes that have arrived, followed by free memory.
    private var bytes: ContiguousArray<UInt8> = []
    private var byteCount = 0
    private var headers = ImageHeaderParser()
    /// Nil until the headers are complete and the limits allow an image of this size.
    private var decoder: ImageDecoder?
    /// The image as width · height · 4 bytes: R G B A, not premultiplied. Rows that are not finished are transparent,
    /// or partly written. Empty until the headers are complete.
    ///
    /// Copying it costs time only if the decoder writes more rows while the copy exists.
    public private(set) var pixels: ContiguousArray<UInt8> = []
    /// The number of bytes from which decoding is attempted again.
    private var nextAttempt = 0
    private var hasFailed = false

    /// Creates a decoder without input.
    public init(limits: Limits = Limits()) { self.limits = limits.plain }

    /// The width of the image in pixels, or 0 until the headers are complete.
    public var width: Int { decoder?.output.width ?? 0 }
    /// The height of the image in pixels, or 0 until the headers are complete.
    public var height: Int { decoder?.output.height ?? 0 }
    /// The number of finished rows, from the top.
    public var finishedRows: Int { decoder?.output.finishedRows ?? 0 }
  }
}

extension WebPCompact.StreamingDecoder {
  /// Decodes the rows that the next bytes of the file complete.
  ///
  /// New bytes are collected until they are a thousandth of the available bytes, or complete the image.
  public mutating func append(_ more: Span<UInt8>) throws(WebPCompact.DecodeError) {
    guard acceptsBytes else { return }
    do throws(FormatError) {
      try limits.check(bytes: byteCount, adding: more.count)
      let (before, end) = (byteCount, headers.streamEnd)
      bytes.store(more, at: byteCount)
      byteCount += more.count
      // Headers are parsed incrementally, so they do not wait. The end of the image is known when they are complete.
      guard !headers.isFinished || byteCount >= nextAttempt || before < end && byteCount >= end else { return }
      nextAttempt = byteCount + byteCount / 1024 + 1
      try decodeStream(isComplete: false)
    } catch {
      hasFailed = true
      throw WebPCompact.DecodeError(error)
    }
  }

  /// Decodes the remaining rows. No more bytes will arrive.
  public mutating func finish() throws(WebPCompact.DecodeError) {
    guard acceptsBytes else { return }
    do throws(FormatError) {
      try decodeStream(isComplete: true)
    } catch {
      hasFailed = true
      throw WebPCompact.DecodeError(error)
    }
  }

  private var acceptsBytes: Bool { !hasFailed && decoder?.isFinished != true }

  @inline(never)
  private mutating func decodeStream(isComplete: Bool) throws(FormatError) {
    let bytes = bytes
    let span = bytes.span.extracting(..<byteCount)
    do throws(FormatError) {
      try headers.parse(span, need: .headers)
    } catch {
      if error.kind == .truncated, !isComplete { return }
      throw error
    }
    if headers.isAnimated { throw FormatError(.animation, offset: ExtendedHeader.featuresOffset) }
    try decodeRows(span, isComplete: isComplete)
  }

  /// Decodes a complete file, whose bytes are not copied.
  ///
  /// - Returns: false if the file is an animation.
  mutating func decodeComplete(_ bytes: Span<UInt8>) throws(FormatError) -> Bool {
    try limits.check(bytes: bytes.count)
    headers = try ImageHeaderParser(forDecoding: bytes)
    if !headers.isAnimated { try decodeRows(bytes, isComplete: true) }
    return !headers.isAnimated
  }

  /// Decodes the rows that the bytes allow.
  @inline(never)
  private mutating func decodeRows(_ bytes: Span<UInt8>, isComplete: Bool) throws(FormatError) {
    if decoder == nil {
      guard try limits.allow(headers, byteCount: bytes.count, isComplete: isComplete) else { return }
      let created = ImageDecoder(headers)
      decoder = created
      let count = 4 &* created.output.width &* created.output.height
      // Unfinished rows are visible only if the bytes arrive in several parts.
      pixels = byteCount == 0 ? .init(uninitializedCount: count) : .init(repeating: 0, count: count)
    }
    try decoder?.decodeRows(bytes, isComplete: isComplete, into: &pixels)
  }
}

extension ContiguousArray<UInt8> {
  /// Copies bytes to an offset. If the array must grow, it grows to twice its size.
  @inline(never)
  mutating func store(_ more: Span<UInt8>, at offset: Int) {
    let end = offset + more.count
    if count < end {
      var larger = Self(repeating: 0, count: Swift.max(end, 2 * offset))
      larger.copy(offset, from: span, at: 0, to: 0)
      self = larger
    }
    copy(more.count, from: more, at: 0, to: offset)
  }
}
