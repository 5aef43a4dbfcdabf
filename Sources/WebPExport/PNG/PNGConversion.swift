import PureWebP

extension WebP {
  /// Converts a still picture to a PNG; of an animation, the first frame on its canvas. A still picture that denies its
  /// alpha (`ImageInfo.hasAlpha`) becomes opaque.
  ///
  /// Rows are written as they are decoded, by one thread while others compress. As soon as it is known that the PNG will
  /// be RGB or RGBA, which photos show within a few rows, no memory is taken for the rest of the picture.
  ///
  /// - Parameters:
  ///   - options: what the picture should be like; its format is left out of account.
  ///   - metadata: what the PNG carries along, such as `WebP.metadata(bytes)`; nothing unless it is given.
  ///   - sink: takes the next bytes of the PNG. If the WebP is damaged it has taken some by then.
  /// - Returns: the size of the PNG, in pixels.
  /// - Throws: what is wrong with the WebP (`DecodeError`), or with the PNG to be (`ExportError`).
  @discardableResult
  public static func writePNG(
    of bytes: some Collection<UInt8>, options: DecodeOptions = .init(), metadata: Metadata = .init(),
    png: PNGOptions = .init(), to sink: PNGWriter.Sink
  ) throws -> (width: Int, height: Int) {
    try options.limits.check(bytes: bytes.count)  // before they are copied
    let bytes = Array(bytes)
    let hasAlpha = try info(bytes).mayShowThrough
    var options = options
    options.format = FileFormat.png.pixelFormat(hasAlpha: hasAlpha)
    guard var decoder = try RowDecoder(bytes, options: options) else {
      let image = try decode(bytes, options: options)
      try image.write(metadata: metadata, png: png, to: sink)
      return (image.width, image.height)
    }
    // A PNG begins with its colour type, which the rows decide on: they are kept until it is known.
    var survey = PNGColorSurvey(channels: hasAlpha ? 4 : 3, metadata)
    var kept = ContiguousArray<UInt8>()
    var writer: PNGWriter?
    while try decoder.decodeRows() {
      for row in decoder.rows {
        let place = decoder.place(of: row)
        if writer == nil {
          if kept.isEmpty { kept.reserveCapacity(place.count * decoder.height) }
          kept.append(contentsOf: decoder.pixels[place])
          survey.add(decoder.pixels.span.extracting(place))
          if png.reducesColors && survey.isOpen { continue }
          let header = PNGHeader(
            width: decoder.width, height: decoder.height, colorType: hasAlpha ? .rgba : .rgb)
          writer = try PNGWriter(header, metadata: metadata, compression: png.compression, threads: png.threads)
          try writer?.write(rows: kept.span, to: sink)
          kept = []
        } else {
          try writer?.write(rows: decoder.pixels.span.extracting(place), to: sink)
        }
      }
    }
    if let writer {
      try writer.finish(to: sink)
    } else if let image = Image(width: decoder.width, height: decoder.height, format: options.format, pixels: kept) {
      let reduction = PNGColorReduction(survey, width: image.width, height: image.height)
      let rows = try PixelRows(image, order: hasAlpha ? .rgba : .rgb, for: .png)
      try image.writePNG(rows, reduction, metadata: metadata, options: png, to: sink)
    }
    return (decoder.width, decoder.height)
  }
}
