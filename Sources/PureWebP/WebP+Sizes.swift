extension WebP {
  /// Decodes a still image in several sizes. Each image equals the result of `decode` with that size.
  ///
  /// The file is decoded once, or twice if it is lossy and only some of the sizes are so small that the loop filter is
  /// skipped. The image is stored in its full size meanwhile.
  ///
  /// - Parameters:
  ///   - bytes: A complete file, or a bare bitstream.
  ///   - options: The decoding options, except for the size. The format is not planar.
  ///   - sizes: The sizes to scale to.
  /// - Throws: As `decode`.
  @_optimize(size)
  package static func decode(
    _ bytes: [UInt8], options: DecodeOptions, sizes: [OutputSize]
  ) throws(DecodeError) -> [Image] {
    let info = try info(bytes)
    let isLossy = info.compression == .lossy
    var source = options
    source.format = isLossy ? (info.hasAlpha ? .yuva : .yuv) : .rgba
    source.background = nil
    source.flipsVertically = false
    var (filtered, unfiltered): (Image?, Image?)
    var images: [Image] = []
    for size in sizes {
      var options = options
      options.size = size
      guard size.isBounded else {
        // The limit depends on the number of bytes.
        images.append(try decode(bytes, options: options))
        continue
      }
      let geometry = try OutputGeometry(options, width: info.width, height: info.height, isLossy: isLossy)
      let bypassesLoopFilter = options.bypassesLoopFilter || geometry.hidesLoopFilter
      source.bypassesLoopFilter = bypassesLoopFilter
      let known = bypassesLoopFilter ? unfiltered : filtered
      let image = if let known { known } else { try decode(bytes, options: source) }
      if bypassesLoopFilter { unfiltered = image } else { filtered = image }
      options.crop = nil
      if let written = try image.written(with: options, { false }) { images.append(written) }
    }
    return images
  }
}
