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
  /// The file is handed out in pieces, as they become ready: into memory, a file, a socket. A good megabyte is held
  /// back at the most for each thread, whatever the size of the picture.
  public final class PNGWriter {
    /// Takes the next bytes of the file.
    public typealias Sink = (ContiguousArray<UInt8>) throws -> Void

    private let header: PNGHeader
    private var rows: PNGRowCompressor
    /// Bytes of the file that are still to be handed out.
    private var output = ContiguousArray<UInt8>.pngSignature

    /// Starts a file.
    ///
    /// - Parameters:
    ///   - metadata: an ICC profile (left out if it is not one for such pixels), Exif and XMP.
    ///   - threads: how many may compress. The file is the same with any number.
    /// - Throws: `invalidHeader`, `tooLarge` or `outOfMemory`.
    public init(
      _ header: PNGHeader, metadata: Metadata = Metadata(), compression: PNGCompression = .automatic,
      threads: Threads = .automatic
    ) throws(ExportError) {
      try header.check()
      self.header = header
      rows = PNGRowCompressor(header, compression, threads: threads)
      try output.append(header: header, metadata: metadata)
    }

    /// Adds rows, any number at once.
    ///
    /// - Parameter rows: whole rows without gaps, each ``PNGHeader/bytesPerRow`` long.
    /// - Precondition: the bytes are whole rows, and with those before no more than the header has.
    /// - Throws: `output` if the sink does; `outOfMemory`.
    public func write(rows bytes: Span<UInt8>, to sink: Sink) throws(ExportError) {
      try rows.append(rows: bytes) { part throws(ExportError) in
        output.append(chunk: "IDAT", part)
        try emit(to: sink)
      }
    }

    /// Ends the file.
    ///
    /// - Parameter metadata: Exif and XMP that `init` was not given. An ICC profile would come too late.
    /// - Precondition: all rows have been written.
    /// - Throws: `output` if the sink does.
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
