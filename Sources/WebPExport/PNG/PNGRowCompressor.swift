import PureWebP

/// Filters and compresses the rows of one picture: what the payloads of its IDAT or fdAT chunks are together (PNG
/// specification, third edition, sections 7.3 to 10).
final class PNGRowCompressor {
  /// Compressed bytes that nobody has taken yet.
  private(set) var output = ContiguousArray<UInt8>()

  private let bytesPerRow: Int
  private var rowsLeft: Int
  private let deflater: Deflater
  private var chooser: EffortChooser
  /// Nil where pixels are indices: differences of indices mean nothing.
  private var filter: PNGFilter?
  /// Filtered rows that are still to be compressed.
  private var band = ContiguousArray<UInt8>()

  /// - Throws: `outOfMemory`.
  init(_ header: WebP.PNGHeader, _ compression: WebP.PNGCompression) throws(WebP.ExportError) {
    bytesPerRow = header.bytesPerRow
    rowsLeft = header.height
    if case .palette = header.colorType {
      chooser = EffortChooser(compression, isFiltered: false)
    } else {
      chooser = EffortChooser(compression, isFiltered: true)
      filter = PNGFilter(pixelBytes: header.colorType.channels, bytesPerRow: bytesPerRow)
    }
    deflater = try Deflater(.runs)
  }

  func append(_ row: Span<UInt8>) throws(WebP.ExportError) {
    precondition(row.count == bytesPerRow && rowsLeft > 0, "rows do not fit the header")
    rowsLeft -= 1
    if filter?.append(row, to: &band) == nil {
      band.append(0)
      for index in row.indices { band.append(row[index]) }
    }
    if band.count >= EffortChooser.bandBytes { try compressBand(.none) }
  }

  /// Ends the stream. All rows must have been appended.
  func finish() throws(WebP.ExportError) {
    precondition(rowsLeft == 0, "rows are missing")
    try compressBand(.finish)
  }

  func takeOutput() -> ContiguousArray<UInt8> {
    defer { output.removeAll(keepingCapacity: true) }
    return output
  }

  private func compressBand(_ flush: Deflater.Flush) throws(WebP.ExportError) {
    deflater.change(to: try chooser.next(band), onto: &output)
    deflater.compress(band.span, flush: flush, onto: &output)
    band.removeAll(keepingCapacity: true)
  }
}
