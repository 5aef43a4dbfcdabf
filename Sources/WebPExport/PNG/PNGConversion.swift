import PureWebP

extension WebP {
  /// Converts a still image, or the first frame of an animation on its canvas, to a PNG. If the headers
  /// declare a still image opaque (`ImageInfo.hasAlpha`), its alpha is ignored.
  ///
  /// One thread decodes rows while others compress. Rows are stored until the color type of the PNG is known,
  /// which takes a few rows of a photo and all rows of an image with few colors. After that, memory use does not depend
  /// on the height of the image.
  ///
  /// - Parameters:
  ///   - bytes: A complete file.
  ///   - options: The decoding options. The format is ignored. With a background, the PNG is opaque.
  ///   - metadata: The metadata to store. Nil stores the metadata of the file, and `Metadata()` none.
  ///   - png: The options of the PNG.
  ///   - sink: Receives the next bytes of the PNG. If the WebP is corrupt, the sink may receive some bytes before the
  ///     error.
  /// - Returns: The size of the PNG, and what it does not contain.
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
    let hasAlpha = info.mayBeTransparent && options.background == nil
    var options = options
    options.format = FileFormat.png.pixelFormat(hasAlpha: hasAlpha)
    let isRotated = options.isUpright && info.orientation != .up
    if info.isAnimated || options.flipsVertically || isRotated {
      let file = try decode(bytes, options: options).write(metadata: metadata, png: png, to: sink)
      let losses: [Loss] = info.frameCount > 1 ? [.frames] + file.losses : file.losses
      return WrittenFile(size: file.size, losses: losses)
    }
    options.isUpright = false
    let decoder = try RowDecoder(completeFile: bytes, options: options)
    let conversion = PNGConversion(decoder, hasAlpha: hasAlpha, metadata: metadata, png: png)
    conversion.finish()
    while try conversion.writeNext(to: sink) { try checkCancellation() }
    guard let file = conversion.file else { preconditionFailure("a complete file is converted or invalid") }
    return file
  }
}

/// Converts a still image to a PNG, a strip of rows at a time, while its bytes arrive.
///
/// Memory does not depend on the height of the image, unless the options reduce colors. Then the writer stores rows
/// until the color type of the PNG is known.
package final class PNGConversion {
  /// The size of the PNG, and whether its ICC profile was dropped. Nil until the PNG is complete.
  package private(set) var file: WebP.WrittenFile?
  private var decoder: WebP.RowDecoder
  private let hasAlpha: Bool
  private let metadata: WebP.Metadata?
  private let png: WebP.PNGOptions
  private var isComplete = false
  /// Nil before the first row.
  private var writer: WebP.PNGWriter?
  /// The metadata that was available when the PNG was begun. It is not written again at the end.
  private var earlyMetadata = WebP.Metadata()

  /// Creates a conversion.
  ///
  /// - Parameters:
  ///   - decoder: a decoder for RGBA if `hasAlpha` is true, and for RGB otherwise.
  ///   - metadata: the metadata to store. Nil stores the metadata of the file: Exif and XMP after the pixels if they
  ///     arrive after the first rows.
  package init(_ decoder: WebP.RowDecoder, hasAlpha: Bool, metadata: WebP.Metadata? = nil, png: WebP.PNGOptions) {
    self.decoder = decoder
    self.hasAlpha = hasAlpha
    self.metadata = metadata
    self.png = png
  }

  /// Stores the next bytes of the WebP, which later calls of `writeNext` convert.
  package func append(_ bytes: some Collection<UInt8>) throws(WebP.DecodeError) { try decoder.append(bytes) }

  /// Declares that no bytes follow.
  package func finish() {
    decoder.finish()
    isComplete = true
  }

  /// Decodes and compresses the next rows, or ends the PNG.
  ///
  /// - Returns: false if more bytes of the WebP are needed, or if the PNG is complete.
  package func writeNext(to sink: WebP.PNGWriter.Sink) throws -> Bool {
    if let strip = try decoder.nextStrip() {
      if writer == nil { writer = try makeWriter() }
      try writer?.write(rows: strip.pixels.span, to: sink)
    } else if isComplete, file == nil {
      file = try writeEnd(to: sink)
    } else {
      return false
    }
    return true
  }

  private func makeWriter() throws(WebP.ExportError) -> WebP.PNGWriter {
    earlyMetadata = metadata ?? decoder.metadata
    let header = WebP.PNGHeader(width: size.width, height: size.height, colorType: hasAlpha ? .rgba : .rgb)
    return try WebP.PNGWriter(header, reduction: nil, metadata: earlyMetadata, options: png)
  }

  private var size: WebP.Size {
    guard let size = decoder.size else { preconditionFailure("rows without a size") }
    return size
  }

  private func writeEnd(to sink: WebP.PNGWriter.Sink) throws(WebP.ExportError) -> WebP.WrittenFile {
    guard let writer else { preconditionFailure("no rows") }
    let metadata = metadata ?? decoder.metadata
    var late = metadata
    for kind in WebP.Metadata.Kind.allCases where earlyMetadata[kind] != nil { late[kind] = nil }
    try writer.finish(metadata: late, to: sink)
    return WebP.WrittenFile(size: size, metadata, droppedProfile: writer.droppedProfile)
  }
}
