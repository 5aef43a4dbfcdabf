internal import WebPFormat

/// The namespace of the library, with functions that decode images and read their properties.
///
/// ```swift
/// let image = try WebP.decode(bytes)
/// let info = try WebP.info(bytes)
/// ```
///
/// Bytes can be any collection of `UInt8`: `[UInt8]`, `Data`, or a slice of either. They are copied only if they are
/// not contiguous, or if they must be stored, as in an ``Animation``. Functions that do not store the bytes also accept
/// a `Span`. Generic functions are inlinable, because an unspecialized copy takes up to 200 ns for each byte.
public enum WebP {}

// MARK: Decoding

extension WebP {
  /// Decodes a still image, or the first frame of an animation on its canvas.
  ///
  /// The time is proportional to the number of pixels and bytes. The call cannot be cancelled. In asynchronous code,
  /// use `decodeInBackground`.
  ///
  /// ```swift
  /// let thumbnail = try WebP.decode(bytes, options: .init(size: .fit(width: 256, height: 256), isUpright: true))
  /// ```
  ///
  /// - Parameters:
  ///   - bytes: a complete file, or a bare VP8 or VP8L bitstream.
  ///   - options: the decoding options.
  /// - Throws: If the bytes are corrupt, or exceed a limit of `options`.
  @inlinable
  public static func decode(
    _ bytes: some Collection<UInt8>, options: DecodeOptions = DecodeOptions()
  ) throws(DecodeError) -> Image {
    try bytes.withSpan(options.limits) { (span) throws(DecodeError) in
      try decode(span, options: options)
    }
  }

  /// Decodes a still image, or the first frame of an animation on its canvas.
  public static func decode(
    _ bytes: Span<UInt8>, options: DecodeOptions = DecodeOptions()
  ) throws(DecodeError) -> Image {
    options.isUpright ? try decodeUpright(bytes, options: options) : try decodeStored(bytes, options: options)
  }

  @_optimize(size)
  private static func decodeUpright(_ bytes: Span<UInt8>, options: DecodeOptions) throws(DecodeError) -> Image {
    let orientation = options.orientation(of: bytes)
    return try decodeStored(bytes, options: options.beforeOrienting(orientation)).oriented(orientation)
  }

  @inline(never)
  static func decodeStored(_ bytes: Span<UInt8>, options: DecodeOptions) throws(DecodeError) -> Image {
    try options.limits.check(bytes: bytes.count)
    let headers = try DecodeError.converting(try ImageHeaderParser(forDecoding: bytes))
    if headers.isAnimated {
      guard let image = try FirstFrame(bytes, options: options).nextImage(bytes, pixelLimit: .max) else {
        preconditionFailure("there is one step without a limit")
      }
      return image
    }
    return try ImageDecoder.image(headers, bytes, options: options)
  }

  /// Decodes into the caller's memory.
  ///
  /// - Parameters:
  ///   - bytes: A complete file, or a bare VP8 or VP8L bitstream.
  ///   - pixels: At least `options.layout(for:stride:).byteCount` bytes. Bytes between the rows do not change. After an
  ///     error, the finished rows are available (``DecodeError/finishedRows``). If the image is rotated, it is decoded
  ///     to other memory of the same size first, so no rows are finished after an error.
  ///   - stride: The distance between rows in bytes; nil: rows without gaps. See ``Layout``.
  ///   - options: The decoding options.
  /// - Returns: The positions of the planes and rows in `pixels`.
  /// - Throws: If the bytes are corrupt, a limit is exceeded, or `pixels` is too small.
  @discardableResult
  public static func decode(
    _ bytes: Span<UInt8>, into pixels: inout MutableSpan<UInt8>, stride: Int? = nil,
    options: DecodeOptions = DecodeOptions()
  ) throws(DecodeError) -> Layout {
    let orientation = options.orientation(of: bytes)
    if orientation != .up { return try decodeUpright(bytes, into: &pixels, stride: stride, options: options) }
    try options.limits.check(bytes: bytes.count)
    let headers = try DecodeError.converting(try ImageHeaderParser(forDecoding: bytes))
    if headers.isAnimated {
      let first = try FirstFrame(bytes, options: options, stride: stride)
      try first.layout.check(pixels)
      try first.write(bytes, into: &pixels)
      return first.layout
    }
    let decoder = try ImageDecoder(headers, bytes, options: options, stride: stride)
    try decoder.output.layout.check(pixels)
    try decoder.decodeRows(bytes, isComplete: true, into: &pixels)
    return decoder.output.layout
  }
}

extension WebP {
  /// Decodes an image that is rotated, and copies it to the caller's memory.
  @_optimize(size)
  private static func decodeUpright(
    _ bytes: Span<UInt8>, into pixels: inout MutableSpan<UInt8>, stride: Int?, options: DecodeOptions
  ) throws(DecodeError) -> Layout {
    let layout = try options.layout(for: info(bytes), stride: stride)
    try layout.check(pixels)
    let image: Image
    do { image = try decodeUpright(bytes, options: options) } catch { throw error.with(finishedRows: 0) }
    for (from, to) in zip(image.layout.planes, layout.planes) {
      for row in 0..<to.rows {
        pixels.copy(
          to.rowBytes, from: image.pixels.span, at: from.offset + row * from.stride, to: to.offset + row * to.stride)
      }
    }
    return layout
  }
}

// MARK: Properties of a file

extension WebP {
  /// Reads the properties of a file from its headers.
  ///
  /// The time is proportional to the number of chunks in `bytes` and the size of Exif, regardless of the size of other
  /// chunks. Bytes that are not contiguous are copied first.
  ///
  /// - Parameter bytes: A file. If only its beginning is available, ``info(prefix:)-(Collection<UInt8>)`` states what
  ///   it leaves open. Here, the number of frames and the presence of metadata then refer to the given bytes.
  /// - Throws: If the bytes are not WebP, or if a header is corrupt or incomplete.
  @inlinable
  public static func info(_ bytes: some Collection<UInt8>) throws(DecodeError) -> ImageInfo {
    try bytes.withSpan { (span) throws(DecodeError) in try info(span) }
  }

  /// Reads the properties of a file from its headers.
  public static func info(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    var info = try headers(bytes)
    info.add(chunks(bytes))
    return info
  }

  /// The properties of the chunks, and Exif.
  static func chunks(_ bytes: Span<UInt8>) -> MetadataCollector {
    var chunks = MetadataCollector(limits: Limits(), byteCount: bytes.count, storesExifOnly: true)
    chunks.append(bytes)
    return chunks
  }

  /// The properties in the headers of the image. Other chunks are not read.
  static func headers(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    guard let info = try DecodeError.converting(try ImageHeaderParser(bytes, need: .headers)).info else {
      throw DecodeError(.truncatedHeaders, offset: bytes.count)
    }
    return info
  }

  /// Indicates whether a file begins with the signature of WebP: `RIFF`, four bytes of size, and `WEBP`.
  ///
  /// The file may still be corrupt. Bare VP8 and VP8L bitstreams, which have no signature, are not recognized.
  ///
  /// - Parameter prefix: The first 12 bytes of a file, or more.
  public static func isWebP(prefix: some Collection<UInt8>) -> Bool {
    let start = Array(prefix.prefix(12))
    return start.count == 12 && start.starts(with: "RIFF".utf8) && start[8...].elementsEqual("WEBP".utf8)
  }

  /// The metadata of a file. Corrupt and missing chunks are nil.
  ///
  /// - Parameters:
  ///   - bytes: a complete file.
  ///   - limits: chunks beyond `maximumMetadataBytes` are omitted. If the file exceeds `maximumBytes`, all chunks are
  ///     omitted.
  @inlinable
  public static func metadata(_ bytes: some Collection<UInt8>, limits: Limits = Limits()) -> Metadata {
    do throws(DecodeError) {
      return try bytes.withSpan(limits) { (span) throws(DecodeError) in metadata(span, limits: limits) }
    } catch {
      return Metadata()  // exceeds `maximumBytes`
    }
  }

  /// The metadata of the bytes in a span.
  public static func metadata(_ bytes: Span<UInt8>, limits: Limits = Limits()) -> Metadata {
    guard (try? limits.check(bytes: bytes.count)) != nil else { return Metadata() }
    return Metadata(bytes, limits: limits)
  }
}
