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

    /// What the headers say, as soon as the picture's own is there, behind any metadata before it. Of metadata it knows
    /// what came before that, or with it.
    public private(set) var info: ImageInfo?

    private let options: DecodeOptions
    private var bytes: ContiguousArray<UInt8> = []
    private var headers = StillHeaders()
    /// Nil until the headers are there.
    private var picture: PictureDecoder?
    private var pixels: ContiguousArray<UInt8> = []
    private var failure: DecodeError?
    /// How many bytes have to be there before decoding is tried again.
    private var nextAttempt = 0

    public init(options: DecodeOptions = DecodeOptions()) {
      self.options = options
    }

    /// Takes the next bytes, and decodes the rows that they complete.
    ///
    /// Pieces smaller than a thousandth of what has come wait for each other, but not with the last byte of the picture
    /// (of a bare stream, nobody knows which it is).
    ///
    /// - Throws: what is wrong with the picture; the same again when more bytes are appended.
    @inlinable  // for whoever comes with single bytes: what is generic takes longer than what it does with one
    public mutating func append(_ bytes: some Collection<UInt8>) throws(DecodeError) -> Progress {
      guard try wants(bytes.count) else { return .finished }
      return try bytes.withSpan { (span) throws(DecodeError) in try take(span) }
    }

    /// The same for bytes in a span.
    public mutating func append(_ bytes: Span<UInt8>) throws(DecodeError) -> Progress {
      guard try wants(bytes.count) else { return .finished }
      return try take(bytes)
    }

    /// Whether `count` more bytes are of use.
    @usableFromInline
    mutating func wants(_ count: Int) throws(DecodeError) -> Bool {
      if let failure { throw failure }
      if isFinished { return false }
      do {
        try options.limits.check(bytes: bytes.count, adding: count)
      } catch {
        failure = error
        throw error
      }
      return true
    }

    @usableFromInline
    mutating func take(_ bytes: Span<UInt8>) throws(DecodeError) -> Progress {
      let wasWhole = self.bytes.count >= headers.streamEnd
      self.bytes.append(copying: bytes)
      let isWhole = self.bytes.count >= headers.streamEnd
      // The walk through the headers goes on where it was; and before its end nobody knows which byte is the last.
      guard info == nil || self.bytes.count >= nextAttempt || isWhole && !wasWhole else { return .needsMoreData }
      nextAttempt = self.bytes.count + self.bytes.count / 1024 + 1
      return try decode(isComplete: false)
    }

    /// Tells that no more bytes will come.
    ///
    /// - Throws: if the picture is not whole. The rows that are finished stay (``DecodeError/finishedRows``).
    @discardableResult
    public mutating func finish() throws(DecodeError) -> Progress {
      if let failure { throw failure }
      if isFinished { return .finished }
      return try decode(isComplete: true)
    }

    private mutating func decode(isComplete: Bool) throws(DecodeError) -> Progress {
      let before = finishedRows
      do {
        try readHeaders(isComplete: isComplete)
        let bytes = bytes
        try picture.unique()?.decodeRows(bytes.span, isComplete: isComplete, into: &pixels)
      } catch {
        failure = error
        throw error
      }
      if isFinished { return .finished }
      return finishedRows > before ? .rows(newRows(since: before)) : .needsMoreData
    }

    private mutating func readHeaders(isComplete: Bool) throws(DecodeError) {
      guard picture == nil else { return }
      let bytes = self.bytes
      do {
        try headers.walk(bytes.span, need: .headers)
      } catch {
        if error.kind == .truncated, !isComplete { return }
        throw error
      }
      if info == nil {
        info = headers.info
        info?.readChunks(bytes.span)
      }
      let picture: PictureDecoder
      do {
        picture = try PictureDecoder(headers, bytes.span, options: options)
      } catch {
        guard error.kind == .limitExceeded, !isComplete else { throw error }
        // More bytes allow more pixels.
        var options = options
        options.limits.unrestrictedPixels = .max
        _ = try PictureDecoder(headers, bytes.span, options: options)
        return
      }
      pixels = ContiguousArray(repeating: 0, count: picture.output.layout.byteCount)
      self.picture = picture
    }
  }
}

// MARK: What there is so far

extension WebP.StreamingDecoder {
  /// How many rows are finished, from the top; where the image is flipped, from the bottom.
  public var finishedRows: Int { picture?.output.finishedRows ?? 0 }

  /// The rows of the image that are finished now and were not when there were `count` of them.
  func newRows(since count: Int) -> Range<Int> {
    guard options.flipsVertically, let height = picture?.output.height else { return count..<finishedRows }
    return height - finishedRows..<height - count
  }

  /// Whether the whole picture is there.
  public var isFinished: Bool { picture?.isFinished ?? false }

  /// The picture as far as it is finished, as soon as the headers are there, and the bytes that limits want for so many
  /// pixels. The other rows are zero: transparent, or black in formats without alpha, but for ``WebP/PixelFormat/yuv``,
  /// where that is a dark green. Of planes that are scaled, some of them may be there already.
  ///
  /// An image that is kept while decoding goes on costs a copy of the pixels.
  public var image: WebP.Image? {
    picture?.output.image(pixels, format: options.format)
  }
}
