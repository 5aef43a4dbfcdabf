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
  /// for each thread, independent of the size of the image.
  public final class PNGWriter {
    /// Receives the next bytes of the file.
    public typealias Sink = (ContiguousArray<UInt8>) throws -> Void

    /// The reason why the ICC profile of `metadata` is not in the file. Nil if it is, or if there is no profile.
    public let droppedProfile: DroppedProfile?
    private var rows: PNGRowCompressor
    /// The bytes of the file that the sink has not received.
    private var output = ContiguousArray<UInt8>.pngSignature

    /// Starts a file.
    ///
    /// - Parameters:
    ///   - header: The size and the color type.
    ///   - metadata: An ICC profile, Exif and XMP. A profile for other pixels is dropped; see ``droppedProfile``.
    ///   - compression: The level of the compression.
    ///   - threads: The number of threads that may compress. The file does not depend on it.
    /// - Throws: `invalidHeader`, `tooLarge` or `outOfMemory`.
    public init(
      _ header: PNGHeader, metadata: Metadata = Metadata(), compression: PNGCompression = .automatic,
      threads: Threads = .automatic
    ) throws(ExportError) {
      try header.check()
      droppedProfile = DroppedProfile(metadata.icc, for: header.colorType)
      rows = PNGRowCompressor(header, compression, threads: threads)
      try output.append(header: header, metadata: metadata)
    }

    /// Adds any number of rows.
    ///
    /// - Parameters:
    ///   - bytes: Complete rows without gaps, each ``PNGHeader/bytesPerRow`` long.
    ///   - sink: Receives the next bytes of the file.
    /// - Precondition: The bytes are complete rows, and all rows together do not exceed the header's height.
    /// - Throws: `output` with the error of the sink; `outOfMemory`; `cancelled`.
    public func write(rows bytes: Span<UInt8>, to sink: Sink) throws(ExportError) {
      try rows.append(rows: bytes) { part throws(ExportError) in
        output.append(chunk: "IDAT", part)
        try emit(to: sink)
      }
    }

    /// Ends the file.
    ///
    /// - Parameters:
    ///   - metadata: Exif and XMP that `init` did not receive. An ICC profile is ignored, because it must precede the
    ///     pixels.
    ///   - sink: Receives the last bytes of the file.
    /// - Precondition: All rows have been written.
    /// - Throws: `output` with the error of the sink.
    public func finish(metadata: Metadata = Metadata(), to sink: Sink) throws(ExportError) {
      precondition(rows.rowsLeft == 0, "rows are missing")
      output.append(text: metadata)
      output.append(chunk: "IEND", [])
      try emit(to: sink)
    }

    private func emit(to sink: Sink) throws(ExportError) {
      do { try sink(output) } catch { throw .output(error) }
      output.removeAll(keepingCapacity: true)
    }
  }
}
