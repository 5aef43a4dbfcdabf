extension WebP {
  /// Decodes a still image while its bytes arrive.
  ///
  /// ```swift
  /// var decoder = WebP.StreamingDecoder()
  /// for chunk in chunks {
  ///   if try decoder.append(chunk) != .needsMoreData { show(decoder.image) }
  /// }
  /// try decoder.finish()
  /// ```
  ///
  /// Animations are rejected with ``ErrorKind/unsupported``: see ``StreamingAnimation``.
  ///
  /// The decoder stores the bytes and the pixels once. Its work is proportional to the number of bytes and pixels,
  /// however the input is divided. Finished rows do not change, not even after an error.
  public struct StreamingDecoder: Sendable {
    /// The result of appending bytes.
    @nonexhaustive
    public enum Progress: Hashable, Sendable {
      /// No new rows are available.
      case needsMoreData
      /// The rows of the image that were finished by this call. All rows above them are finished too, or all rows below
      /// them if the image is flipped.
      case rows(Range<Int>)
      /// The complete image is available. Further bytes are ignored.
      case finished
    }

    private var session: StillSession

    /// Creates a decoder without input.
    public init(options: DecodeOptions = DecodeOptions()) {
      session = StillSession(options: options)
    }

    /// Appends the next bytes, and decodes the rows that they complete.
    ///
    /// To bound the overhead, new bytes are collected until they are a thousandth of the available bytes. The last
    /// bytes of the image are decoded immediately, except in a bare bitstream, whose end is unknown.
    ///
    /// - Throws: If the image is corrupt. Further calls throw the same error.
    @inlinable  // An unspecialized generic call takes longer than the work for a single byte.
    @discardableResult
    public mutating func append(_ bytes: some Collection<UInt8>) throws(DecodeError) -> Progress {
      guard try accepts(bytes.count) else { return .finished }
      return try bytes.withSpan { (span) throws(DecodeError) in try take(span) }
    }

    /// Appends the next bytes, and decodes the rows that they complete.
    @discardableResult
    public mutating func append(_ bytes: Span<UInt8>) throws(DecodeError) -> Progress {
      guard try accepts(bytes.count) else { return .finished }
      return try take(bytes)
    }

    /// Returns whether the decoder needs the next `count` bytes.
    @usableFromInline
    mutating func accepts(_ count: Int) throws(DecodeError) -> Bool { try StillSession.unique(&session).accepts(count) }

    @usableFromInline
    mutating func take(_ bytes: Span<UInt8>) throws(DecodeError) -> Progress {
      StillSession.unique(&session).append(bytes)
      if isFinished { return .finished }
      return session.isDue ? try decode(isComplete: false) : .needsMoreData
    }

    /// Declares that no bytes follow. If the options specify an upright image, ``image`` is rotated now. If they also
    /// have a size that the rotation changes, the image is decoded again, for which the bytes are stored until now. If
    /// the first call of `append` has the complete file, the rotation is known, and the image is decoded once.
    ///
    /// - Throws: If the image is incomplete. The finished rows stay available (``DecodeError/finishedRows``).
    @discardableResult
    public mutating func finish() throws(DecodeError) -> Progress {
      StillSession.unique(&session).isEnded = true
      if let failure = session.failure { throw failure }
      let progress = isFinished ? .finished : try decode(isComplete: true)
      if isFinished, session.options.isUpright, session.image?.appliedOrientation == nil {
        try StillSession.unique(&session).orient()
      }
      return progress
    }

    private mutating func decode(isComplete: Bool, pixelLimit: Int = .max) throws(DecodeError) -> Progress {
      let before = finishedRows
      try StillSession.unique(&session).decodeRows(isComplete: isComplete, pixelLimit: pixelLimit)
      if isFinished { return .finished }
      return finishedRows > before ? .rows(newRows(since: before)) : .needsMoreData
    }
  }
}

// MARK: Bounded steps

extension WebP.StreamingDecoder {
  /// Appends the next bytes, and decodes about `pixelLimit` pixels.
  ///
  /// - Returns: true if decoding stopped at the limit. `resume` then continues with the bytes that are available.
  package mutating func append(_ bytes: some Collection<UInt8>, pixelLimit: Int) throws(WebP.DecodeError) -> Bool {
    guard try accepts(bytes.count) else { return false }
    bytes.withSpan { StillSession.unique(&session).append($0) }
    guard !isFinished, session.isDue else { return false }
    return try resume(pixelLimit: pixelLimit)
  }

  /// Decodes about `pixelLimit` pixels.
  ///
  /// - Parameter isComplete: no more bytes will arrive.
  /// - Returns: true if decoding stopped at the limit, so that another call can continue without more bytes.
  package mutating func resume(isComplete: Bool = false, pixelLimit: Int) throws(WebP.DecodeError) -> Bool {
    if isFinished { return false }
    _ = try decode(isComplete: isComplete, pixelLimit: pixelLimit)
    return session.isPaused
  }
}

// MARK: Memory

extension WebP.StreamingDecoder {
  /// Creates a decoder whose rows begin at multiples of `rowAlignment` bytes. ``image`` then has gaps between its rows,
  /// and after the last one. The format must be packed.
  package init(options: WebP.DecodeOptions, rowAlignment: Int) {
    session = StillSession(options: options, rowAlignment: rowAlignment)
  }

  /// Continues in other memory, so that the caller can retain ``image`` without a copy.
  ///
  /// - Parameters:
  ///   - memory: the pixels of an earlier image of this decoder. Nil for new memory.
  ///   - count: the number of rows that were finished in this image.
  package mutating func move(to memory: consuming ContiguousArray<UInt8>?, finishedRows count: Int) {
    StillSession.unique(&session).move(to: memory, lacking: newRows(since: count))
  }
}

// MARK: State

extension WebP.StreamingDecoder {
  /// The properties of the file that are known. Nil until the image's own header is available. After ``finish()``, no
  /// member is nil.
  public var info: WebP.PrefixInfo? { session.info }

  /// The metadata chunks that have arrived. Exif and XMP usually follow the pixels: append the bytes after
  /// ``Progress/finished`` too.
  public var metadata: WebP.Metadata { session.metadata.metadata }

  /// Indicates whether all chunks that a file of the stated size can have have arrived.
  var metadataIsComplete: Bool { session.metadata.isComplete }

  var options: WebP.DecodeOptions { session.options }
  /// The bytes that decoding may still need.
  var bytes: ContiguousArray<UInt8> { session.bytes }

  /// The number of finished rows, from the top, or from the bottom if the image is flipped.
  public var finishedRows: Int { session.finishedRows }

  /// The rows of the image that became finished after the first `count` rows.
  func newRows(since count: Int) -> Range<Int> {
    guard session.options.flipsVertically, let height = session.decoder?.output.height else {
      return count..<finishedRows
    }
    return height - finishedRows..<height - count
  }

  /// Indicates whether the complete image is available.
  public var isFinished: Bool { session.isFinished }

  /// The image with its finished rows. Nil until the headers are available, and so many bytes that ``WebP/Limits``
  /// allow an image of this size.
  ///
  /// Rows that are not finished are zeros: transparent, or black in formats without alpha. In ``WebP/PixelFormat/yuv``,
  /// zeros are dark green. If a planar image is scaled, some of these rows may already be written.
  ///
  /// If the caller retains an image while decoding continues, the pixels are copied.
  public var image: WebP.Image? { session.image }
}
