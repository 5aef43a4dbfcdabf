internal import WebPFormat

/// A WebP decoder whose code is small: for microcontrollers, bare metal and WebAssembly.
///
/// ```swift
/// let image = try WebPCompact.decode(bytes)
/// try WebPCompact.decodeRows(bytes.span) { y, row in show(y, row[0]) }
/// ```
///
/// It decodes the same pixels as the module `PureWebP`, and rejects the same files. It uses one thread, writes R G B A
/// that is not premultiplied, and works in Embedded Swift. A source file that implements a part of RFC 6386 or RFC 9649
/// names its sections in the first lines.
public enum WebPCompact {}

extension WebPCompact {
  /// A decoded image.
  public struct Image: Sendable {
    /// The width, in pixels.
    public let width: Int
    /// The height, in pixels.
    public let height: Int
    /// The pixels as width · height · 4 bytes: R G B A, not premultiplied, row by row from the top.
    public let pixels: ContiguousArray<UInt8>
  }

  /// Decodes a still image, or the first frame of an animation on its canvas.
  ///
  /// - Parameters:
  ///   - bytes: a complete file, or a bare VP8 or VP8L bitstream.
  ///   - limits: limits on the memory and the work that the file may cause.
  public static func decode(_ bytes: Span<UInt8>, limits: Limits = Limits()) throws(DecodeError) -> Image {
    var decoder = StreamingDecoder(limits: limits)
    if try DecodeError.converting(try decoder.decodeComplete(bytes)) {
      return Image(width: decoder.width, height: decoder.height, pixels: decoder.pixels)
    }
    var animation = try AnimationDecoder(bytes, limits: limits)
    let frame = try animation.nextFrame(from: bytes)
    return Image(width: animation.width, height: animation.height, pixels: frame?.pixels ?? [])
  }

  /// Decodes a still image, or the first frame of an animation on its canvas, and passes its rows to a closure.
  ///
  /// For a still image, the decoder allocates its tables and about 45 rows of R G B A. For a lossless image, it also
  /// allocates the pixels that backward references can copy. For an animation, it allocates the canvas.
  ///
  /// - Parameters:
  ///   - bytes: a complete file, or a bare VP8 or VP8L bitstream.
  ///   - limits: limits on the memory and the work that the file may cause.
  ///   - body: receives the index of a row, counted from the top, and its width · 4 bytes, R G B A, not premultiplied.
  /// - Throws: The reason why the remaining rows were not decoded.
  public static func decodeRows(
    _ bytes: Span<UInt8>, limits: Limits = Limits(), _ body: (Int, Span<UInt8>) -> Void
  ) throws(DecodeError) {
    try DecodeError.converting(try limits.plain.check(bytes: bytes.count))
    let headers = try DecodeError.converting(try ImageHeaderParser(forDecoding: bytes))
    if headers.isAnimated {
      let image = try decode(bytes, limits: limits)
      return pass(image.pixels.span, of: 0..<image.height, width: image.width, to: body)
    }
    _ = try DecodeError.converting(try limits.plain.allow(headers, byteCount: bytes.count, isComplete: true))
    let decoder = ImageDecoder(headers)
    let (width, height) = (decoder.output.width, decoder.output.height)
    let rowCount = min(height, ImageDecoder.mostRowsTogether)
    var pixels = ContiguousArray<UInt8>(repeating: 0, count: 4 * width * rowCount)
    while !decoder.isFinished {
      let first = decoder.beginRows()
      defer { pass(pixels.span, of: first..<decoder.output.finishedRows, width: width, to: body) }
      try DecodeError.converting(try decoder.decodeRows(bytes, isComplete: true, into: &pixels))
    }
  }

  private static func pass(
    _ pixels: Span<UInt8>, of rows: Range<Int>, width: Int, to body: (Int, Span<UInt8>) -> Void
  ) {
    for row in rows {
      let start = 4 * width * (row - rows.lowerBound)
      body(row, pixels.extracting(start..<start + 4 * width))
    }
  }
}

// MARK: Headers

extension WebPCompact {
  /// The properties of an image that its headers specify.
  public struct ImageInfo: Hashable, Sendable {
    /// The width of the image, or of the canvas of an animation, in pixels.
    public let width: Int
    /// The height of the image, or of the canvas of an animation, in pixels.
    public let height: Int
    /// Indicates whether the image may have pixels that are not opaque, according to the headers.
    public let hasAlpha: Bool
    /// Indicates whether the file is an animation.
    public let isAnimated: Bool
  }

  /// Reads the headers of a file, without decoding it.
  ///
  /// - Parameter bytes: a file, or its beginning.
  /// - Throws: The error in the headers. `truncated` if more bytes are needed.
  public static func info(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    let headers = try DecodeError.converting(try ImageHeaderParser(bytes, need: .headers))
    guard let size = headers.size else { throw DecodeError(FormatError(.truncatedHeaders, offset: bytes.count)) }
    return ImageInfo(
      width: size.width, height: size.height, hasAlpha: headers.hasAlpha, isAnimated: headers.isAnimated)
  }
}

// MARK: Arrays of bytes

extension WebPCompact {
  /// Decodes a still image, or the first frame of an animation on its canvas.
  public static func decode(
    _ bytes: [UInt8], limits: Limits = Limits()
  ) throws(DecodeError) -> Image {
    try bytes.withSpan { (span) throws(DecodeError) in try decode(span, limits: limits) }
  }

  /// Reads the headers of a file, without decoding it.
  public static func info(_ bytes: [UInt8]) throws(DecodeError) -> ImageInfo {
    try bytes.withSpan { (span) throws(DecodeError) in try info(span) }
  }
}
