import PureWebP

extension WebP {
  /// Converts a still image, or the first frame of an animation on its canvas, to a PNG. If the headers
  /// declare a still image opaque (`ImageInfo.hasAlpha`), its alpha is ignored.
  ///
  /// One thread decodes rows while others compress. The decoder stores rows until the color type of the PNG is known,
  /// which takes a few rows of a photo and all rows of an image with few colors. After that, memory use does not depend
  /// on the height of the image.
  ///
  /// - Parameters:
  ///   - bytes: A complete file.
  ///   - options: The decoding options. The format is ignored.
  ///   - metadata: The metadata to store. Nil stores the file's metadata.
  ///   - png: The options of the PNG.
  ///   - sink: Receives the next bytes of the PNG. If the WebP is corrupt, the sink may receive some bytes before the
  ///     error.
  /// - Returns: The size of the PNG, and whether its ICC profile was dropped.
  /// - Throws: `DecodeError` if the WebP is corrupt, `ExportError` if the PNG cannot be written, `CancellationError` if
  ///   the current task is cancelled.
  @discardableResult
  public static func writePNG(
    of bytes: some Collection<UInt8>, options: DecodeOptions = .init(), metadata: Metadata? = nil,
    png: PNGOptions = .init(), to sink: PNGWriter.Sink
  ) throws -> WrittenFile {
    try options.limits.check(bytes: bytes.count)  // before they are copied
    let metadata = metadata ?? WebP.metadata(bytes, limits: options.limits)
    return try throwingCancellationError {
      try convert(bytes, options: options, metadata: metadata, png: png, to: sink)
    }
  }

  private static func convert(
    _ bytes: some Collection<UInt8>, options: DecodeOptions, metadata: Metadata, png: PNGOptions,
    to sink: PNGWriter.Sink
  ) throws -> WrittenFile {
    let info = try info(bytes)
    let hasAlpha = info.mayBeTransparent
    var options = options
    options.format = FileFormat.png.pixelFormat(hasAlpha: hasAlpha)
    if info.isAnimated || options.flipsVertically {
      return try decode(bytes, options: options).write(metadata: metadata, png: png, to: sink)
    }
    var decoder = try RowDecoder(completeFile: bytes, options: options)
    // A PNG begins with its color type, which depends on the pixels. The rows are stored until the color type is known.
    var survey = PNGColorSurvey(channels: hasAlpha ? 4 : 3, metadata)
    var stored = ContiguousArray<UInt8>()
    var size = (width: 0, height: 0)
    var writer: PNGWriter?
    while let strip = try decoder.nextStrip() {
      try checkCancellation()
      if let writer {
        try writer.write(rows: strip.pixels.span, to: sink)
        continue
      }
      size = decoder.size ?? size
      if stored.isEmpty { stored.reserveCapacity(size.width * size.height * survey.channels) }
      stored += strip.pixels
      survey.add(strip.pixels.span)
      if png.reducesColors && survey.isOpen { continue }
      let header = PNGHeader(width: size.width, height: size.height, colorType: hasAlpha ? .rgba : .rgb)
      writer = try PNGWriter(header, metadata: metadata, compression: png.compression, threads: png.threads)
      try writer?.write(rows: stored.span, to: sink)
      stored = []
    }
    var droppedProfile: DroppedProfile?
    if let writer {
      try writer.finish(to: sink)
      droppedProfile = writer.droppedProfile
    } else if let image = Image(width: size.width, height: size.height, format: options.format, pixels: stored) {
      let reduction = PNGColorReduction(survey, width: image.width, height: image.height)
      let rows = try PixelRows(image, order: hasAlpha ? .rgba : .rgb, for: .png)
      droppedProfile = try image.writePNG(rows, reduction, metadata: metadata, options: png, to: sink)
    }
    return WrittenFile(width: size.width, height: size.height, droppedProfile: droppedProfile)
  }
}
