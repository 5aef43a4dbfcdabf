extension WebP {
  /// Decodes a still image, or the first frame of an animation, in several sizes. Each image equals the result of
  /// `decode` with that size.
  ///
  /// ```swift
  /// let sizes = [160, 320, 640].map { WebP.OutputSize.fit(width: $0, height: $0) }
  /// let thumbnails = try WebP.decode(bytes, sizes: sizes, options: .init(isUpright: true))
  /// ```
  ///
  /// The file is decoded once, or twice if it is lossy and only some of the sizes are so small that the loop filter is
  /// skipped. The image is stored in its full size meanwhile: 1.5 bytes for each pixel of a lossy image, 2.5 if it has
  /// alpha, and 4 of a lossless one. ``Limits/maximumPixels`` limits this memory.
  ///
  /// - Parameters:
  ///   - bytes: A complete file, or a bare bitstream.
  ///   - sizes: The sizes to scale to. The size of the options has no effect.
  ///   - options: The decoding options, for all sizes. All formats are available.
  /// - Throws: As `decode`, if one of the sizes is invalid too.
  @inlinable
  public static func decode(
    _ bytes: some Collection<UInt8>, sizes: [OutputSize], options: DecodeOptions = DecodeOptions()
  ) throws(DecodeError) -> [Image] {
    try bytes.withSpan(options.limits) { (span) throws(DecodeError) in
      try decode(storing: span, sizes: sizes, options: options)
    }
  }

  @usableFromInline @_optimize(size)
  static func decode(
    storing bytes: Span<UInt8>, sizes: [OutputSize], options: DecodeOptions
  ) throws(DecodeError) -> [Image] {
    let info = try headers(bytes)
    let orientation = options.orientation(of: bytes)
    let isLossy = info.compression == .lossy
    var source = options.beforeOrienting(orientation)
    source.size = nil
    source.format = isLossy ? (info.hasAlpha ? .yuva : .yuv) : .rgba
    source.background = nil
    source.flipsVertically = false
    var (filtered, unfiltered): (Image?, Image?)
    var images: [Image] = []
    for size in sizes {
      var single = options
      single.size = size
      guard size.isBounded else {
        // The limit depends on the number of bytes.
        images.append(try decode(bytes, options: single))
        continue
      }
      single = single.beforeOrienting(orientation)
      let geometry = try OutputGeometry(single, width: info.width, height: info.height, isLossy: isLossy)
      let bypassesLoopFilter = single.bypassesLoopFilter || isLossy && geometry.hidesLoopFilter
      source.bypassesLoopFilter = bypassesLoopFilter
      let known = bypassesLoopFilter ? unfiltered : filtered
      let image = if let known { known } else { try decodeStored(bytes, options: source) }
      if bypassesLoopFilter { unfiltered = image } else { filtered = image }
      single.crop = nil
      guard let written = try image.written(with: single, { false }) else { preconditionFailure("not cancelled") }
      images.append(options.isUpright ? written.oriented(orientation) : written)
    }
    return images
  }
}

extension WebP.Image {
  /// The image in another size, in the same format.
  ///
  /// Colors are scaled by the rule that decoding uses for lossless images: they are multiplied by alpha before, and
  /// divided by it afterwards. The result therefore equals the output of `dwebp -scale` for a lossless file with the
  /// same pixels. A lossy file scales Y, U and V instead, so decoding it with a size has other pixels. The
  /// planes of a planar format are scaled separately, as when a lossy image is decoded.
  ///
  /// - Parameter size: The size. If it does not change the image, the image itself is returned, except for `exact`.
  /// - Throws: `invalidOptions` if the size is invalid. `limitExceeded` if the result exceeds the default limits.
  public func scaled(to size: WebP.OutputSize) throws(WebP.DecodeError) -> Self {
    try written(with: WebP.DecodeOptions(format: format, size: size), { false }) ?? self
  }
}
