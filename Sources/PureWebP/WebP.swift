/// WebP images: decoding, and what a file says of itself.
///
/// ```swift
/// let image = try WebP.decode(bytes)
/// let info = try WebP.info(bytes)
/// ```
///
/// Bytes are anything that is a collection of them: `[UInt8]`, `Data`, a slice of either. They are copied only if they
/// do not lie in one piece, or are to be kept, as an ``Animation`` does. Where they are at hand as a `Span`, whatever
/// does not keep them takes it as it is.
public enum WebP {}

// MARK: Decoding

extension WebP {
  /// Decodes a still picture; of an animation, the first frame on its canvas.
  ///
  /// Takes time in proportion to the pixels and the bytes, and cannot be cancelled. In asynchronous code, use
  /// `decodeInBackground`.
  ///
  /// - Parameters:
  ///   - bytes: a whole file, or a bare VP8 or VP8L stream.
  ///   - options: what the pixels should be like.
  /// - Throws: what is wrong with the bytes, or which limit of `options` the picture exceeds.
  public static func decode(
    _ bytes: some Collection<UInt8>, options: DecodeOptions = DecodeOptions()
  ) throws(DecodeError) -> Image {
    try options.limits.check(bytes: bytes.count)  // before they are copied
    return try bytes.withSpan { (span) throws(DecodeError) in try decode(span, options: options) }
  }

  /// Decodes a still picture; of an animation, the first frame on its canvas.
  public static func decode(
    _ bytes: Span<UInt8>, options: DecodeOptions = DecodeOptions()
  ) throws(DecodeError) -> Image {
    try options.limits.check(bytes: bytes.count)
    let headers = try StillHeaders(forDecoding: bytes)
    if headers.isAnimated {
      var first = try FirstFrame(bytes, options: options)
      try first.draw(bytes)
      return try first.image(options)
    }
    return try PictureDecoder.image(headers, bytes, options: options)
  }

  /// Decodes into memory of the caller's.
  ///
  /// - Parameters:
  ///   - bytes: a whole file, or a bare VP8 or VP8L stream.
  ///   - pixels: at least as many bytes as the ``Layout`` of the format, the picture's size and `stride`. Bytes between
  ///     the rows are left as they are. After an error the rows that were finished are there
  ///     (``DecodeError/finishedRows``).
  ///   - stride: bytes from one row to the next; nil: rows without gaps. See ``Layout``.
  ///   - options: what the pixels should be like.
  /// - Returns: where in `pixels` the planes and rows are.
  @discardableResult
  public static func decode(
    _ bytes: Span<UInt8>, into pixels: inout MutableSpan<UInt8>, stride: Int? = nil,
    options: DecodeOptions = DecodeOptions()
  ) throws(DecodeError) -> Layout {
    try options.limits.check(bytes: bytes.count)
    let headers = try StillHeaders(forDecoding: bytes)
    if headers.isAnimated {
      var first = try FirstFrame(bytes, options: options, stride: stride)
      try first.output.layout.check(pixels)
      try first.draw(bytes)
      first.write(into: &pixels)
      return first.output.layout
    }
    let decoder = try PictureDecoder(headers, bytes, options: options, stride: stride)
    try decoder.output.layout.check(pixels)
    try decoder.decodeRows(bytes, isComplete: true, into: &pixels)
    return decoder.output.layout
  }

  /// Decodes into an array of the caller's.
  @discardableResult
  public static func decode(
    _ bytes: some Collection<UInt8>, into pixels: inout [UInt8], stride: Int? = nil,
    options: DecodeOptions = DecodeOptions()
  ) throws(DecodeError) -> Layout {
    try options.limits.check(bytes: bytes.count)  // before they are copied
    return try bytes.withSpan { (span) throws(DecodeError) in
      try pixels.withMutableBytesSpan { (pixels) throws(DecodeError) in
        try decode(span, into: &pixels, stride: stride, options: options)
      }
    }
  }
}

// MARK: What a file says of itself

extension WebP {
  /// Reads the headers. Takes time in proportion to the number of chunks in `bytes`, whatever their size, and no memory,
  /// unless the bytes have to be copied since they do not lie in one piece: then give the beginning alone.
  ///
  /// - Parameter bytes: the beginning of a file. 30 bytes are enough for the size. Alpha and compression are told for
  ///   sure by the picture's own header, which may lie behind other chunks; and what is said of frames and metadata is
  ///   what those bytes hold.
  /// - Throws: if this is no WebP, or its header is damaged or not all there.
  public static func info(_ bytes: some Collection<UInt8>) throws(DecodeError) -> ImageInfo {
    try bytes.withSpan { (span) throws(DecodeError) in try info(span) }
  }

  /// The same for bytes in a span.
  public static func info(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    guard var info = try StillHeaders(bytes, need: .headers).info else {
      throw DecodeError(.truncatedHeaders, offset: bytes.count)
    }
    info.readChunks(bytes)
    return info
  }

  /// The metadata of a file. Never fails: what is damaged or not there is nil.
  ///
  /// - Parameters:
  ///   - bytes: a whole file.
  ///   - limits: chunks beyond `maximumMetadataBytes` are left out, and all of them in a file of more than `maximumBytes`.
  public static func metadata(_ bytes: some Collection<UInt8>, limits: Limits = Limits()) -> Metadata {
    guard (try? limits.check(bytes: bytes.count)) != nil else { return Metadata() }  // before they are copied
    return bytes.withSpan { metadata($0, limits: limits) }
  }

  /// The same for bytes in a span.
  public static func metadata(_ bytes: Span<UInt8>, limits: Limits = Limits()) -> Metadata {
    guard (try? limits.check(bytes: bytes.count)) != nil else { return Metadata() }
    return Metadata(bytes, limits: limits)
  }
}
