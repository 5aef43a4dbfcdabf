extension WebP {
  /// Decodes a picture while its bytes come.
  ///
  /// ```swift
  /// var decoder = WebP.StreamingDecoder()
  /// for chunk in chunks {
  ///   if try decoder.append(chunk) != .needsMoreData { show(decoder.image) }
  /// }
  /// try decoder.finish()
  /// ```
  ///
  /// Animations are refused as ``DecodeError/Kind/unsupported``: see ``StreamingAnimation``.
  ///
  /// The decoder holds the bytes and the pixels, each once. Its work is in proportion to the bytes and the pixels, in
  /// whatever pieces the bytes come. Rows that are finished stay as they are, also after an error.
  public struct StreamingDecoder: Sendable {
    public enum Progress: Hashable, Sendable {
      /// Nothing new to see yet.
      case needsMoreData
      /// These rows of the image are new; all rows from the top up to them are finished. (Of an image that is flipped,
      /// all from the bottom.)
      case rows(Range<Int>)
      /// The whole picture is there. Further bytes are left alone.
      case finished
    }

    private var input: StillInput
    private var pixels: ContiguousArray<UInt8> = []
    private var failure: DecodeError?

    public init(options: DecodeOptions = DecodeOptions()) {
      input = StillInput(options: options)
    }

    /// Takes the next bytes, and decodes the rows that they complete.
    ///
    /// Pieces smaller than a thousandth of what has come wait for each other, but not with the last byte of the picture
    /// (of a bare stream, nobody knows which it is).
    ///
    /// - Throws: what is wrong with the picture; the same again when more bytes are appended.
    @inlinable  // for whoever comes with single bytes: what is generic takes longer than what it does with one
    public mutating func append(_ bytes: some Collection<UInt8>) throws(DecodeError) -> Progress {
      guard try accepts(bytes.count) else { return .finished }
      return try bytes.withSpan { (span) throws(DecodeError) in try take(span) }
    }

    /// The same for bytes in a span.
    public mutating func append(_ bytes: Span<UInt8>) throws(DecodeError) -> Progress {
      guard try accepts(bytes.count) else { return .finished }
      return try take(bytes)
    }

    /// Whether `count` more bytes are of use.
    @usableFromInline
    mutating func accepts(_ count: Int) throws(DecodeError) -> Bool {
      if let failure { throw failure }
      do {
        return try input.accepts(count)
      } catch {
        failure = error
        throw error
      }
    }

    @usableFromInline
    mutating func take(_ bytes: Span<UInt8>) throws(DecodeError) -> Progress {
      input.append(bytes)
      if isFinished { return .finished }
      return input.isDue ? try decode(isComplete: false) : .needsMoreData
    }

    /// Declares that no bytes follow.
    ///
    /// - Throws: If the image is incomplete. The finished rows stay available (``DecodeError/finishedRows``).
    @discardableResult
    public mutating func finish() throws(DecodeError) -> Progress {
      if let failure { throw failure }
      if isFinished { return .finished }
      return try decode(isComplete: true)
    }

    private mutating func decode(isComplete: Bool, before end: Int = .max) throws(DecodeError) -> Progress {
      let before = finishedRows
      do {
        try input.decodeRows(isComplete: isComplete, into: &pixels, before: end)
      } catch {
        failure = error
        throw error
      }
      if isFinished { return .finished }
      return finishedRows > before ? .rows(newRows(since: before)) : .needsMoreData
    }
  }
}

// MARK: Bounded steps

extension WebP.StreamingDecoder {
  /// Takes the next bytes, and decodes about as many pixels as the limit.
  ///
  /// - Returns: Whether `resume` can decode more without more bytes.
  mutating func append(_ bytes: some Collection<UInt8>, pixelLimit: Int) throws(WebP.DecodeError) -> Bool {
    guard try accepts(bytes.count) else { return false }
    bytes.withSpan { input.append($0) }
    guard !isFinished, input.isDue else { return false }
    return try resume(pixelLimit: pixelLimit)
  }

  /// Decodes about as many pixels as the limit.
  ///
  /// - Returns: Whether this can decode more without more bytes.
  mutating func resume(pixelLimit: Int) throws(WebP.DecodeError) -> Bool {
    // Until the headers are read the width is unknown, and the limit is one row.
    let width = input.info?.width ?? pixelLimit
    let end = finishedRows + max(1, pixelLimit / width)
    _ = try decode(isComplete: false, before: end)
    return !isFinished && finishedRows >= end
  }
}

// MARK: What there is so far

extension WebP.StreamingDecoder {
  /// What the headers specify; nil until the image's own header is available. Its properties about metadata refer to
  /// the bytes that had arrived by then.
  public var info: WebP.ImageInfo? { input.info }

  /// The metadata chunks that have arrived. Exif and XMP usually follow the pixels: append the bytes after
  /// ``Progress/finished`` too.
  public var metadata: WebP.Metadata { input.metadata.metadata }

  /// How many rows are finished, from the top; where the image is flipped, from the bottom.
  public var finishedRows: Int { input.decoder?.output.finishedRows ?? 0 }

  /// The rows of the image that are finished now and were not when there were `count` of them.
  func newRows(since count: Int) -> Range<Int> {
    guard input.options.flipsVertically, let height = input.decoder?.output.height else { return count..<finishedRows }
    return height - finishedRows..<height - count
  }

  /// Whether the whole picture is there.
  public var isFinished: Bool { input.isFinished }

  /// The picture as far as it is finished, as soon as the headers are there, and the bytes that limits want for so many
  /// pixels. The other rows are zero: transparent, or black in formats without alpha, but for ``WebP/PixelFormat/yuv``,
  /// where that is a dark green. Of planes that are scaled, some of them may be there already.
  ///
  /// An image that is kept while decoding goes on costs a copy of the pixels.
  public var image: WebP.Image? {
    input.decoder?.output.image(pixels, format: input.options.format)
  }
}
