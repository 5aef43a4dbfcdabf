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
  /// The file is handed out in pieces, as they become ready: into memory, a file, a socket. A few hundred kilobytes are
  /// held back at the most, whatever the size of the picture.
  public final class PNGWriter {
    /// Takes the next bytes of the file.
    public typealias Sink = (ContiguousArray<UInt8>) throws -> Void

    private let header: PNGHeader
    private let deflater: Deflater
    private var chooser: EffortChooser
    /// Nil where pixels are indices: differences of indices mean nothing.
    private var filter: PNGFilter?
    private var rowsLeft: Int
    /// Filtered rows that are still to be compressed.
    private var band = ContiguousArray<UInt8>()
    /// Compressed bytes that no chunk holds yet.
    private var compressed = ContiguousArray<UInt8>()
    /// Bytes of the file that are still to be handed out.
    private var output = ContiguousArray<UInt8>.pngSignature

    private static let chunkBytes = 1 << 16

    /// Starts a file.
    ///
    /// - Parameter metadata: an ICC profile (left out if it is not one for such pixels), Exif and XMP.
    /// - Throws: `invalidHeader`, `tooLarge` or `outOfMemory`.
    public init(
      _ header: PNGHeader, metadata: Metadata = Metadata(), compression: PNGCompression = .automatic
    ) throws(ExportError) {
      let sides = 1...Int(Int32.max)
      guard sides ~= header.width, sides ~= header.height else { throw .tooLarge(.png) }
      var isFiltered = true
      if case .palette(let colors) = header.colorType {
        guard 1...256 ~= colors.count else { throw .invalidHeader("a palette has 1 to 256 colours") }
        isFiltered = false
      }
      self.header = header
      rowsLeft = header.height
      chooser = EffortChooser(compression, isFiltered: isFiltered)
      if isFiltered {
        filter = PNGFilter(pixelBytes: header.colorType.channels, bytesPerRow: header.bytesPerRow)
      }
      deflater = try Deflater(.runs)
      try output.append(header: header, metadata: metadata)
    }

    /// Adds rows, any number at once.
    ///
    /// - Parameter rows: whole rows without gaps, each ``PNGHeader/bytesPerRow`` long.
    /// - Throws: `output` if the sink does.
    public func write(rows: Span<UInt8>, to sink: Sink) throws(ExportError) {
      let count = header.bytesPerRow
      precondition(rows.count % count == 0 && rows.count / count <= rowsLeft, "rows do not fit the header")
      for start in stride(from: 0, to: rows.count, by: count) {
        let row = rows.extracting(start..<start + count)
        if filter?.append(row, to: &band) == nil {
          band.append(0)
          for index in row.indices { band.append(row[index]) }
        }
        if band.count >= EffortChooser.bandBytes { try compressBand(.none, to: sink) }
      }
      rowsLeft -= rows.count / count
    }

    /// Ends the file. All rows must have been written.
    ///
    /// - Parameter metadata: Exif and XMP that `init` was not given. An ICC profile would come too late.
    /// - Throws: `output` if the sink does.
    public func finish(metadata: Metadata = Metadata(), to sink: Sink) throws(ExportError) {
      precondition(rowsLeft == 0, "rows are missing")
      try compressBand(.finish, to: sink)
      output.append(text: metadata)
      output.append(chunk: "IEND", [])
      try emit(to: sink)
    }

    private func compressBand(_ flush: Deflater.Flush, to sink: Sink) throws(ExportError) {
      let effort = try chooser.next(band)
      deflater.change(to: effort, onto: &compressed)
      deflater.compress(band.span, flush: flush, onto: &compressed)
      band.removeAll(keepingCapacity: true)
      guard compressed.count >= Self.chunkBytes || flush == .finish else { return }
      output.append(chunk: "IDAT", compressed)
      compressed.removeAll(keepingCapacity: true)
      try emit(to: sink)
    }

    private func emit(to sink: Sink) throws(ExportError) {
      do { try sink(output) } catch { throw .output(error) }
      output.removeAll(keepingCapacity: true)
    }
  }
}
