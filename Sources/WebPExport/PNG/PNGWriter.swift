import PureWebP

extension WebP {
  /// Writes a PNG row by row.
  ///
  /// ```swift
  /// let writer = try WebP.PNGWriter(.init(width: 640, height: 480, colorType: .rgb))
  /// while let rows = nextRows() { try writer.write(rows: rows.span, to: file.write) }
  /// try writer.finish(to: file.write)
  /// ```
  ///
  /// The sink receives the file incrementally: into memory, a file or a socket. The writer buffers at most about 1.5 MB
  /// for each thread, independent of the size of the image. With `reducesColors`, it also stores the rows that precede
  /// the choice of the color type.
  public final class PNGWriter {
    /// Receives the next bytes of the file.
    public typealias Sink = (ContiguousArray<UInt8>) throws -> Void

    /// The reason why the ICC profile of `metadata` is not in the file. Nil if it is, or if there is no profile.
    /// With `reducesColors`, the value is valid after ``finish(metadata:to:)``.
    public private(set) var droppedProfile: DroppedProfile?
    private let header: PNGHeader
    private let metadata: Metadata
    private let options: PNGOptions
    /// Nil once the color type is known.
    private var stored: PNGStoredRows?
    /// Nil if the color type is the header's.
    private var reduction: PNGColorReduction?
    /// Nil until the color type is known.
    private var rows: PNGRowCompressor?
    /// The bytes of the file that the sink has not received.
    private var output = ContiguousArray<UInt8>.pngSignature

    /// Starts a file.
    ///
    /// - Parameters:
    ///   - header: The size and the color type.
    ///   - metadata: An ICC profile, Exif and XMP. A profile for other pixels is dropped; see ``droppedProfile``.
    ///   - compression: The level of the compression.
    ///   - reducesColors: Stores RGB and RGBA as gray, without alpha, or with a palette, if all pixels of the image
    ///     allow it. The rows are written in the header's color type. The sink receives nothing until the color type is
    ///     known: after a few rows of a photo, and after all rows of an image with few colors.
    ///   - threads: The number of threads that may compress. The file does not depend on it.
    /// - Throws: `invalidHeader`, `tooLarge` or `outOfMemory`.
    public convenience init(
      _ header: PNGHeader, metadata: Metadata = Metadata(), compression: PNGCompression = .automatic,
      reducesColors: Bool = false, threads: Threads = .automatic
    ) throws(ExportError) {
      let options = PNGOptions(compression: compression, reducesColors: reducesColors, threads: threads)
      try self.init(header, reduction: nil, metadata: metadata, options: options)
    }

    /// - Parameter reduction: The reduction of a surveyed image. Nil surveys the rows, if the options reduce colors.
    init(
      _ header: PNGHeader, reduction: PNGColorReduction?, metadata: Metadata, options: PNGOptions
    ) throws(ExportError) {
      try header.check()
      self.header = header
      self.metadata = metadata
      self.options = options
      let isReducible = header.colorType == .rgb || header.colorType == .rgba
      if options.reducesColors, isReducible, reduction == nil {
        stored = PNGStoredRows(PNGColorSurvey(channels: header.colorType.channels, metadata), header)
      } else {
        try start(reduction)
      }
    }

    /// Adds any number of rows.
    ///
    /// - Parameters:
    ///   - bytes: Complete rows without gaps, each ``PNGHeader/bytesPerRow`` long.
    ///   - sink: Receives the next bytes of the file.
    /// - Precondition: The bytes are complete rows, and all rows together do not exceed the header's height.
    /// - Throws: `output` with the error of the sink; `outOfMemory`; `cancelled`.
    public func write(rows bytes: Span<UInt8>, to sink: Sink) throws(ExportError) {
      precondition(bytes.count % header.bytesPerRow == 0, "the last row is not whole")
      if stored?.add(bytes) == true { return }
      if let stored {
        try start(nil)
        try stored.forEachRow { (row) throws(ExportError) in try append(row, to: sink) }
      }
      try compress(bytes, to: sink)
    }

    /// Ends the file.
    ///
    /// - Parameters:
    ///   - metadata: Exif and XMP that `init` did not receive. An ICC profile is ignored, because it must precede the
    ///     pixels.
    ///   - sink: Receives the last bytes of the file.
    /// - Precondition: All rows have been written.
    /// - Throws: `output` with the error of the sink; `outOfMemory`; `cancelled`.
    public func finish(metadata: Metadata = Metadata(), to sink: Sink) throws(ExportError) {
      if let stored {
        let reduction = PNGColorReduction(stored.survey, width: header.width, height: header.height)
        try start(reduction)
        try stored.forEachRow(as: reduction) { (row) throws(ExportError) in try append(row, to: sink) }
      }
      precondition(rows?.rowsLeft == 0, "rows are missing")
      output.append(text: metadata)
      output.append(chunk: "IEND", [])
      try emit(to: sink)
    }

    /// Writes the header.
    private func start(_ reduction: PNGColorReduction?) throws(ExportError) {
      stored = nil
      let colorType = reduction?.colorType ?? header.colorType
      self.reduction = colorType == header.colorType ? nil : reduction
      let written = PNGHeader(width: header.width, height: header.height, colorType: colorType)
      droppedProfile = DroppedProfile(metadata.icc, for: colorType)
      rows = PNGRowCompressor(written, options.compression, threads: options.threads)
      try output.append(header: written, metadata: metadata)
    }

    private func compress(_ bytes: Span<UInt8>, to sink: Sink) throws(ExportError) {
      guard let reduction else { return try append(bytes, to: sink) }
      var reduced = ContiguousArray<UInt8>()
      for start in stride(from: 0, to: bytes.count, by: header.bytesPerRow) {
        reduced.removeAll(keepingCapacity: true)
        reduction.append(bytes.extracting(start..<start + header.bytesPerRow), to: &reduced)
        try append(reduced.span, to: sink)
      }
    }

    private func append(_ bytes: Span<UInt8>, to sink: Sink) throws(ExportError) {
      try rows?.append(rows: bytes) { part throws(ExportError) in
        output.append(chunk: "IDAT", part)
        try emit(to: sink)
      }
    }

    private func emit(to sink: Sink) throws(ExportError) {
      do { try sink(output) } catch { throw .output(error) }
      output.removeAll(keepingCapacity: true)
    }
  }
}
