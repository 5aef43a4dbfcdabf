internal import WebPFormat

extension WebP {
  /// Decodes a still image in strips of rows while its bytes arrive, without ever storing the complete image.
  ///
  /// ```swift
  /// var decoder = WebP.RowDecoder()
  /// for chunk in chunks {
  ///   try decoder.append(chunk)
  ///   while let strip = try decoder.nextStrip() { show(strip.rows, strip.pixels.count) }
  /// }
  /// decoder.finish()
  /// while let strip = try decoder.nextStrip() { show(strip.rows, strip.pixels.count) }
  /// ```
  ///
  /// ``append(_:)-(Collection<UInt8>)`` only stores bytes, and ``nextStrip()`` decodes them. To keep the stored input
  /// small, append a few kilobytes whenever ``nextStrip()`` returns nil.
  ///
  /// The decoder uses one thread. Its memory consists of:
  ///
  /// | part | size |
  /// |---|---|
  /// | strips | about 80 rows of output pixels |
  /// | lossy | about 70 bytes for each column |
  /// | lossless | up to 4 MB of pixels that backward references can reach, 8 MB with alpha of a lossy image |
  /// | input | the bytes that have not been decoded |
  ///
  /// In a lossy image, the first partition (about a tenth of the file) and the alpha data are needed until the last
  /// row. If the encoder wrote several token partitions, the complete file is stored, because rows alternate between
  /// the partitions. Most encoders write one.
  ///
  /// The pixels equal the result of ``WebP/decode(_:options:)-(Collection<UInt8>,_)`` with the same
  /// options. Cropping and scaling work row by row. The decoder rejects animations (``ErrorKind/unsupported``), planar
  /// formats, ``DecodeOptions/flipsVertically`` and ``DecodeOptions/isUpright`` (``ErrorKind/invalidOptions``).
  public struct RowDecoder: Sendable {
    /// Finished rows of the image.
    public struct Strip: Sendable {
      /// The rows, counted from the top of the output. Each strip begins where the last one ended.
      public let rows: Range<Int>
      /// The pixels of the rows, without gaps.
      public let pixels: ContiguousArray<UInt8>
    }

    /// Row n is at position n modulo the number of rows in its pixels.
    private var session: StillSession
    private var rowsReturned = 0

    /// The minimum height of a strip, except at the end of the image or of the available bytes.
    private static let stripRows = 16

    /// Creates a decoder without input.
    ///
    /// - Parameter options: The decoding options, except that `threads` has no effect.
    public init(options: DecodeOptions = DecodeOptions()) {
      var options = options
      options.threads = .one  // because strips are decoded on demand
      session = StillSession(options: options, stripRows: Self.stripRows)
      if options.flipsVertically || options.isUpright || options.format.isPlanar {
        StillSession.unique(&session).failure = DecodeError(.invalidRowOptions)
      }
    }

    /// Appends the next bytes without decoding them.
    ///
    /// After the last row, the decoder reads only ``metadata`` from the bytes.
    ///
    /// - Throws: If the bytes exceed the limits, or the error that ``nextStrip()`` has thrown.
    @inlinable
    public mutating func append(_ bytes: some Collection<UInt8>) throws(DecodeError) {
      guard try accepts(bytes.count) else { return }  // before they are copied
      bytes.withSpan { take($0) }
    }

    /// Appends the next bytes without decoding them.
    public mutating func append(_ bytes: Span<UInt8>) throws(DecodeError) {
      guard try accepts(bytes.count) else { return }
      take(bytes)
    }

    @usableFromInline
    mutating func accepts(_ count: Int) throws(DecodeError) -> Bool { try StillSession.unique(&session).accepts(count) }

    @usableFromInline
    mutating func take(_ bytes: Span<UInt8>) {
      StillSession.unique(&session).append(bytes)
    }

    /// Declares that no bytes follow. If the image is incomplete, ``nextStrip()`` throws after the last finished row.
    public mutating func finish() { StillSession.unique(&session).isEnded = true }

    /// Decodes the next rows.
    ///
    /// - Returns: about 16 to 40 rows (more if the image is enlarged), or fewer at the end of the image or of the
    ///   available bytes. Nil if more bytes are needed, or if the image is finished (``isFinished``).
    /// - Throws: If the file is corrupt or exceeds the limits. All rows before the error have been returned by then.
    ///   Further calls throw the same error.
    public mutating func nextStrip() throws(DecodeError) -> Strip? {
      if let failure = session.failure { throw failure }
      if isFinished || !(session.isEnded || session.isPaused || session.isDue) { return nil }
      do {
        let rowLimit = rowsReturned + Self.stripRows
        try StillSession.unique(&session).decodeRows(isComplete: session.isEnded, before: rowLimit)
        StillSession.unique(&session).releaseConsumedBytes()
      } catch {
        guard finishedRows > rowsReturned else { throw error }
      }
      guard let plane = session.decoder?.output.layout.planes[0], finishedRows > rowsReturned else { return nil }
      let rows = rowsReturned..<finishedRows
      rowsReturned = rows.upperBound
      return Strip(rows: rows, pixels: pixels(of: rows, in: plane))
    }

    private var finishedRows: Int { session.finishedRows }

    private func pixels(of rows: Range<Int>, in plane: Layout.Plane) -> ContiguousArray<UInt8> {
      var pixels = ContiguousArray<UInt8>()
      pixels.reserveCapacity(rows.count * plane.rowBytes)
      let first = rows.lowerBound % plane.rows
      let end = min(first + rows.count, plane.rows)
      pixels += session.pixels[first * plane.rowBytes..<end * plane.rowBytes]
      pixels += session.pixels[..<((rows.count - (end - first)) * plane.rowBytes)]
      return pixels
    }
  }
}

extension WebP.RowDecoder {
  /// Creates a decoder for a complete file. It rejects the same files as `WebP.decode`, because this initializer also
  /// checks that the file is as long as its headers specify.
  package init(completeFile bytes: some Collection<UInt8>, options: WebP.DecodeOptions) throws(WebP.DecodeError) {
    try options.limits.check(bytes: bytes.count)  // before they are copied
    self.init(options: options)
    let bytes = ContiguousArray(bytes)
    let headers = try WebP.DecodeError.converting(try ImageHeaderParser(forDecoding: bytes.span))
    if let failure = session.failure { throw failure }
    session = StillSession(headers, bytes, options: session.options, stripRows: Self.stripRows)
    finish()
  }

  /// The properties of the file that are known. Nil until the image's own header is available. After ``finish()``, no
  /// member is nil.
  public var info: WebP.PrefixInfo? { session.info }

  /// The size of the output after cropping and scaling, in pixels. Nil until the headers are available.
  public var size: WebP.Size? { session.size }

  /// The metadata chunks that have arrived. Exif and XMP usually follow the pixels.
  public var metadata: WebP.Metadata { session.metadata.metadata }

  /// The number of input bytes that the decoder stores.
  var storedByteCount: Int { session.bytes.count }

  /// Indicates whether all rows have been returned.
  public var isFinished: Bool { session.decoder.map { rowsReturned == $0.output.height } ?? false }
}
