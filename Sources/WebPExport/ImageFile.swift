import PureWebP

extension WebP.Image {
  /// Encodes the image as a file.
  ///
  /// ```swift
  /// let png = try WebP.decode(bytes).encoded()
  /// ```
  ///
  /// - Parameters:
  ///   - format: The file format. Pixels in any format are accepted. If the file cannot store them, they are converted
  ///     as by `WebP.Image.converted(to:)`. ``WebP/FileFormat/pixelFormat(hasAlpha:)`` returns the pixel format to
  ///     decode to, which saves the conversion.
  ///   - metadata: The metadata to store. PNG and TIFF store the ICC profile, Exif and XMP, and the resolution of Exif
  ///     in their own fields. The other formats store nothing. If the image was rotated or mirrored
  ///     (`WebP.Image.appliedOrientation`), the orientations in Exif and XMP become 1.
  ///   - png: The options of a PNG.
  /// - Throws: `tooLarge`, `outOfMemory` or `cancelled`, which is the `CancellationError` of other functions.
  public func encoded(
    as format: WebP.FileFormat = .png, metadata: WebP.Metadata = .init(), png: WebP.PNGOptions = .init()
  ) throws(WebP.ExportError) -> [UInt8] {
    var bytes: [UInt8] = []
    try write(as: format, metadata: metadata, png: png) { bytes += $0 }
    return bytes
  }

  /// Writes the image as a file, incrementally.
  ///
  /// - Parameters:
  ///   - format: As in ``encoded(as:metadata:png:)``.
  ///   - metadata: As in ``encoded(as:metadata:png:)``.
  ///   - png: The options of a PNG.
  ///   - sink: Receives the next bytes of the file.
  /// - Returns: The size of the image, and what the file does not contain.
  /// - Throws: As ``encoded(as:metadata:png:)``, and `output` with the error of the sink.
  @discardableResult
  public func write(
    as format: WebP.FileFormat = .png, metadata: WebP.Metadata = .init(), png: WebP.PNGOptions = .init(),
    to sink: (ContiguousArray<UInt8>) throws -> Void
  ) throws(WebP.ExportError) -> WebP.WrittenFile {
    try write(as: format, metadata: metadata, png: png, isCancelled: { Task.isCancelled }, to: sink)
  }

  /// - Parameter isCancelled: Indicates whether to end with an error. It is called at least once per megapixel.
  func write(
    as format: WebP.FileFormat, metadata: WebP.Metadata, png: WebP.PNGOptions, isCancelled: () -> Bool,
    to sink: (ContiguousArray<UInt8>) throws -> Void
  ) throws(WebP.ExportError) -> WebP.WrittenFile {
    let metadata = metadata.describing(appliedOrientation)
    let typedSink = { (bytes: ContiguousArray<UInt8>) throws(WebP.ExportError) in
      do { try sink(bytes) } catch { throw WebP.ExportError.output(error) }
    }
    let image = try storable(in: format, isCancelled: isCancelled)
    var droppedProfile = metadata.icc.map { _ in WebP.DroppedProfile.unsupported(format) }
    switch format {
    case .png:
      droppedProfile = try image.writePNG(
        metadata: metadata, options: png, isCancelled: isCancelled, to: sink)
    case .pam: try NetpbmWriter.pam(image, to: typedSink)
    case .ppm: try NetpbmWriter.ppm(image, to: typedSink)
    case .pgm: try NetpbmWriter.pgm(image, to: typedSink)
    case .alphaPGM:
      try NetpbmWriter.alpha(image, to: typedSink)
      droppedProfile = nil
    case .bmp: try BMPWriter.write(image, to: typedSink)
    case .tiff: droppedProfile = try TIFFWriter.write(image, metadata: metadata, to: typedSink)
    case .yuv: for plane in image.layout.planes { try image.write(plane, to: typedSink) }
    }
    return WebP.WrittenFile(
      size: WebP.Size(width: width, height: height),
      losses: losses(in: format, metadata, stored: image, droppedProfile: droppedProfile))
  }

  private func writePNG(
    metadata: WebP.Metadata, options: WebP.PNGOptions, isCancelled: () -> Bool,
    to sink: (ContiguousArray<UInt8>) throws -> Void
  ) throws(WebP.ExportError) -> WebP.DroppedProfile? {
    let rows = PixelRows(self, order: ChannelOrder(format))
    let colorType: WebP.PNGHeader.ColorType = rows.order == .gray ? .gray : format.hasAlpha ? .rgba : .rgb
    let header = WebP.PNGHeader(width: width, height: height, colorType: colorType)
    // The image is surveyed first, so that the writer need not store its rows.
    let reduction = options.reducesColors && rows.order != .gray ? try reduction(of: rows, metadata, isCancelled) : nil
    let writer = try WebP.PNGWriter(header, reduction: reduction, metadata: metadata, options: options)
    if rows.isUnchanged {
      try writer.write(rows: pixels.span, to: sink)
    } else {
      var row = ContiguousArray<UInt8>()
      for index in 0..<height {
        row.removeAll(keepingCapacity: true)
        rows.append(row: index, to: &row)
        try writer.write(rows: row.span, to: sink)
      }
    }
    try writer.finish(to: sink)
    return writer.droppedProfile
  }

  private func reduction(
    of rows: PixelRows, _ metadata: WebP.Metadata, _ isCancelled: () -> Bool
  ) throws(WebP.ExportError) -> PNGColorReduction {
    var survey = PNGColorSurvey(channels: rows.order.count, metadata)
    var (row, indices) = (ContiguousArray<UInt8>(), ContiguousArray<UInt8>())
    for index in 0..<height where survey.isOpen {
      if index % 16 == 0, isCancelled() { throw .cancelled }
      row.removeAll(keepingCapacity: true)
      rows.append(row: index, to: &row)
      indices.removeAll(keepingCapacity: true)
      survey.add(row.span, to: &indices)
    }
    return PNGColorReduction(survey, width: width, height: height)
  }
}

extension WebP {
  /// The properties of a PNG that do not change the image.
  public struct PNGOptions: Hashable, Sendable {
    /// The trade-off between compression time and file size.
    public var compression: PNGCompression
    /// Indicates whether the PNG uses gray, no alpha, or a palette if these can store all pixels of the image. If
    /// false, the PNG is RGB or RGBA like the image.
    public var reducesColors: Bool
    /// The number of threads that may compress. The file does not depend on it.
    public var threads: Threads

    /// Creates options.
    public init(
      compression: PNGCompression = .automatic, reducesColors: Bool = true, threads: Threads = .automatic
    ) {
      self.compression = compression
      self.reducesColors = reducesColors
      self.threads = threads
    }
  }
}
