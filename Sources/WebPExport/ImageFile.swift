import PureWebP

extension WebP.Image {
  /// The picture as a file.
  ///
  /// ```swift
  /// let png = try WebP.decode(bytes).encoded()
  /// ```
  ///
  /// - Parameters:
  ///   - format: the kind of file. ``WebP/FileFormat/pixelFormat(hasAlpha:)`` tells what to decode to for it.
  ///   - metadata: what a PNG carries along, such as `WebP.metadata(bytes)`: pixels have none of their own. The other
  ///     formats have no place for it.
  /// - Throws: `unsupportedPixels`, `tooLarge` or `outOfMemory`.
  public func encoded(
    as format: WebP.FileFormat = .png, metadata: WebP.Metadata = .init(), png: WebP.PNGOptions = .init()
  ) throws(WebP.ExportError) -> [UInt8] {
    var bytes: [UInt8] = []
    try write(as: format, metadata: metadata, png: png) { bytes += $0 }
    return bytes
  }

  /// Writes the picture as a file, piece by piece.
  ///
  /// - Parameters:
  ///   - sink: takes the next bytes of the file.
  /// - Throws: as ``encoded(as:metadata:png:)``, and `output` with what the sink throws.
  public func write(
    as format: WebP.FileFormat = .png, metadata: WebP.Metadata = .init(), png: WebP.PNGOptions = .init(),
    to sink: (ContiguousArray<UInt8>) throws -> Void
  ) throws(WebP.ExportError) {
    let typedSink = { (bytes: ContiguousArray<UInt8>) throws(WebP.ExportError) in
      do { try sink(bytes) } catch { throw WebP.ExportError.output(error) }
    }
    switch format {
    case .png: try writePNG(metadata: metadata, options: png, to: sink)
    case .pam: try NetpbmWriter.pam(self, to: typedSink)
    case .ppm: try NetpbmWriter.ppm(self, to: typedSink)
    case .pgm: try NetpbmWriter.pgm(self, to: typedSink)
    case .alpha: try NetpbmWriter.alpha(self, to: typedSink)
    case .bmp: try BMPWriter.write(self, to: typedSink)
    case .tiff: try TIFFWriter.write(self, to: typedSink)
    case .yuv: try YUVWriter.write(self, to: typedSink)
    }
  }

  private func writePNG(
    metadata: WebP.Metadata, options: WebP.PNGOptions, to sink: (ContiguousArray<UInt8>) throws -> Void
  ) throws(WebP.ExportError) {
    let rows = try PixelRows(self, order: format.hasAlpha ? .rgba : .rgb, for: .png)
    guard options.reducesColors else {
      return try writePNG(rows, nil, metadata: metadata, options: options, to: sink)
    }
    var survey = PNGColorSurvey(channels: rows.order.count, metadata)
    var row = ContiguousArray<UInt8>()
    for index in 0..<height where survey.isOpen {
      row.removeAll(keepingCapacity: true)
      rows.append(row: index, to: &row)
      survey.add(row.span)
    }
    let reduction = PNGColorReduction(survey, width: width, height: height)
    try writePNG(rows, reduction, metadata: metadata, options: options, to: sink)
  }

  /// - Parameter reduction: nil: the PNG is RGB or RGBA.
  func writePNG(
    _ rows: PixelRows, _ reduction: PNGColorReduction?, metadata: WebP.Metadata, options: WebP.PNGOptions,
    to sink: (ContiguousArray<UInt8>) throws -> Void
  ) throws(WebP.ExportError) {
    let full: WebP.PNGHeader.ColorType = format.hasAlpha ? .rgba : .rgb
    let header = WebP.PNGHeader(width: width, height: height, colorType: reduction?.colorType ?? full)
    let writer = try WebP.PNGWriter(
      header, metadata: metadata, compression: options.compression, threads: options.threads)

    if header.colorType == full && rows.isUnchanged {
      try writer.write(rows: pixels.span, to: sink)
    } else {
      var row = ContiguousArray<UInt8>()
      var reduced = ContiguousArray<UInt8>()
      for index in 0..<height {
        row.removeAll(keepingCapacity: true)
        rows.append(row: index, to: &row)
        guard let reduction, header.colorType != full else {
          try writer.write(rows: row.span, to: sink)
          continue
        }
        reduced.removeAll(keepingCapacity: true)
        reduction.append(row.span, bitDepth: header.bitDepth, to: &reduced)
        try writer.write(rows: reduced.span, to: sink)
      }
    }
    try writer.finish(to: sink)
  }
}

extension WebP {
  /// What a PNG should be like.
  public struct PNGOptions: Hashable, Sendable {
    /// How much time is spent for how small a file.
    public var compression = PNGCompression.automatic
    /// Whether a picture without colours, without transparency or with few colours is written as grey, opaque or with
    /// a palette, which loses nothing. Otherwise the PNG is RGB or RGBA, as the pixels are.
    public var reducesColors = true
    /// How many threads may compress. The file is the same with any number.
    public var threads = Threads.automatic

    public init() {}
  }
}
