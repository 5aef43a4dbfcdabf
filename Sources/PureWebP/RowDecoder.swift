extension WebP {
  /// Decodes a still picture a few rows at a time, with memory for those alone.
  ///
  ///     rows that are held    │ 64 │ 65 │ … │ 100 │ 37 │ … │ 63 │      row n at place n modulo their number
  package struct RowDecoder: Sendable {
    /// Of the picture that comes out, in pixels.
    package let width: Int
    package let height: Int
    /// Those that the last call has finished.
    package private(set) var rows = 0..<0
    /// Where they are, at `place(of:)`.
    package private(set) var pixels: ContiguousArray<UInt8>

    private let bytes: [UInt8]
    private var picture: PictureDecoder
    private let rowBytes: Int

    private static let rowsHeld = 64
    /// What the decoder may do beyond these has room as well.
    private static let rowsAtOnce = 32

    /// Nil for what does not come row by row from the top: animations, scaled, flipped and planar pictures.
    ///
    /// - Parameter options: the decoder is at work on one thread, whatever they say.
    package init?(_ bytes: [UInt8], options: DecodeOptions) throws(DecodeError) {
      guard options.size == nil, !options.flipsVertically, !options.format.isPlanar else { return nil }
      try options.limits.check(bytes: bytes.count)
      var options = options
      options.threads = .one
      let picture = try bytes.withSpan { (span) throws(DecodeError) -> PictureDecoder? in
        let headers = try StillHeaders(forDecoding: span)
        return try headers.isAnimated ? nil : PictureDecoder(headers, span, options: options, rowsHeld: Self.rowsHeld)
      }
      guard let picture else { return nil }
      self.bytes = bytes
      self.picture = picture
      width = picture.output.width
      height = picture.output.height
      rowBytes = picture.output.layout.planes[0].rowBytes
      pixels = ContiguousArray(uninitializedCount: picture.output.layout.byteCount)
    }

    /// Decodes the next rows. False: there are no more.
    package mutating func decodeRows() throws(DecodeError) -> Bool {
      guard rows.upperBound < height else { return false }
      try bytes.withSpan { (bytes) throws(DecodeError) in
        try PictureDecoder.unique(&picture).decodeRows(
          bytes, isComplete: true, into: &pixels, before: rows.upperBound + Self.rowsAtOnce)
      }
      rows = rows.upperBound..<picture.output.finishedRows
      return true
    }

    /// Where one of `rows` is in `pixels`.
    package func place(of row: Int) -> Range<Int> {
      let start = row % Self.rowsHeld * rowBytes
      return start..<start + rowBytes
    }
  }
}
