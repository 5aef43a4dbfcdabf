extension WebP {
  /// Decodes a small image, oriented as the metadata specifies. The image is never enlarged.
  ///
  /// ```swift
  /// let thumbnail = try WebP.thumbnail(bytes, fitting: 256)
  /// ```
  ///
  /// The image is scaled during decoding, so it takes little memory. The thumbnail of an animation is its first frame.
  ///
  /// - Parameters:
  ///   - bytes: A complete file, or a bare VP8 or VP8L bitstream.
  ///   - side: The maximum of width and height, in pixels, at least 1. `.max` does not scale.
  ///   - options: The decoding options, except that `side` replaces the `size`. The crop refers to the stored image,
  ///     before it is oriented.
  /// - Returns: An image whose ``Image/isOriented`` is true.
  /// - Throws: If the bytes are corrupt or exceed the limits of `options`, or `side` is not positive.
  @inlinable
  public static func thumbnail(
    _ bytes: some Collection<UInt8>, fitting side: Int, options: DecodeOptions = DecodeOptions()
  ) throws(DecodeError) -> Image {
    try bytes.withSpan(options.limits) { (span) throws(DecodeError) in
      try thumbnail(span, fitting: side, options: options)
    }
  }

  /// Decodes a small image, oriented as the metadata specifies.
  public static func thumbnail(
    _ bytes: Span<UInt8>, fitting side: Int, options: DecodeOptions = DecodeOptions()
  ) throws(DecodeError) -> Image {
    var options = options
    options.size = .fit(width: side, height: side)
    let image = try decode(bytes, options: options)
    return image.oriented(metadata(bytes, limits: options.limits).orientation ?? .up)
  }
}
