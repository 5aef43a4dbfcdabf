import PureWebP

/// Filters and compresses the rows of one image. The result is the contents of its IDAT or fdAT chunks, which form one
/// zlib stream (PNG specification, third edition, sections 7.3 to 10; RFC 1950).
///
///     rows ─▶ PNGFilter ─▶  78 9C │ block │ block │ … │ last block │ Adler-32
///
/// Blocks are compressed independently on several threads. Each block uses the bytes before it as its dictionary. The
/// block boundaries depend only on the rows, so the stream is the same for any number of threads.
struct PNGRowCompressor {
  private let compression: WebP.PNGCompression
  private let bytesPerRow: Int
  private let isIndexed: Bool
  private(set) var rowsLeft: Int
  /// The filters to try. Each of them gets all rows.
  private var filters: [PNGFilter]
  /// The rows that have not been compressed, as filtered by each of the filters.
  private var rows: [FilteredRows] = []

  private var blocks: OrderedWorkQueue<Result<PNGBlock, WebP.ExportError>>
  /// The maximum number of blocks in memory.
  private let blocksAtOnce: Int
  private var isStarted = false
  private var checksum: UInt32 = 1

  /// The size of a block of filtered rows.
  private static let blockBytes = 1 << 19

  init(_ header: WebP.PNGHeader, _ compression: WebP.PNGCompression, threads: WebP.Threads) {
    self.compression = compression
    bytesPerRow = header.bytesPerRow
    isIndexed = header.colorType.isIndexed
    rowsLeft = header.height
    let codes = compression.filters(isIndexed: isIndexed)
    filters = codes.map {
      PNGFilter(pixelBytes: header.colorType.channels, bytesPerRow: header.bytesPerRow, fixedCode: $0)
    }
    // A single block gains nothing from a second thread.
    let count = header.isLonger(than: Self.blockBytes) ? threads.usable.count : 1
    blocks = OrderedWorkQueue(threads: count)
    blocksAtOnce = count > 1 ? 2 * count : 0
    startBlock(after: nil)
  }

  private mutating func startBlock(after previous: FilteredRows?) {
    let row = 1 + bytesPerRow
    let capacity = min(rowsLeft, (Self.blockBytes + row - 1) / row) * row
    rows = filters.map { _ in FilteredRows(after: previous, capacity: capacity) }
  }

  /// Adds rows, and passes the bytes of the stream that are available to the sink.
  ///
  /// - Parameter rows: Complete rows without gaps, at most `rowsLeft`.
  /// - Throws: The error of the sink; `outOfMemory`; `cancelled`.
  mutating func append(rows: Span<UInt8>, to sink: TypedSink) throws(WebP.ExportError) {
    precondition(rows.count % bytesPerRow == 0, "the last row is not whole")
    for start in stride(from: 0, to: rows.count, by: bytesPerRow) {
      append(rows.extracting(start..<start + bytesPerRow))
      if self.rows[0].count >= Self.blockBytes || rowsLeft == 0 {
        try checkCancellation()
        try sendBlock()
      }
      while let part = try next() { try sink(part) }
    }
  }

  private mutating func append(_ row: Span<UInt8>) {
    precondition(rowsLeft > 0, "more rows than the header has")
    rowsLeft -= 1
    for index in filters.indices { filters[index].append(row, to: &rows[index]) }
  }

  private mutating func sendBlock() throws(WebP.ExportError) {
    // The next block needs the filtered bytes of this one, so the filter is selected here.
    let selected = rows.count > 1 ? try selectFilter() : 0
    let (block, compression, isLast, isIndexed) = (rows[selected], compression, rowsLeft == 0, isIndexed)
    // The zlib header: a window of 32 KiB, default compression.
    let prefix: ContiguousArray<UInt8> = isStarted ? [] : [0x78, 0x9C]
    isStarted = true
    blocks.add {
      Result { () throws(WebP.ExportError) in
        try PNGBlock(block, compression, after: prefix, isLast: isLast, isIndexed: isIndexed)
      }
    }
    startBlock(after: block)
  }

  /// Returns the index of the filter whose compressed rows are the smallest.
  private func selectFilter() throws(WebP.ExportError) -> Int {
    var (selected, smallest) = (0, Int.max)
    for (index, rows) in rows.enumerated() {
      let efforts: [Effort] = [
        .own(.runs), .own(.repetitions()), .zlib(.runs), .zlib(.filtered(6)), .zlib(.level(6)),
      ]
      let bytes = rows.bytes.span.extracting(0..<rows.end)
      let output = try Effort.smallest(of: efforts, bytes, from: rows.start, after: [], isLast: true)
      if output.count < smallest { (selected, smallest) = (index, output.count) }
    }
    return selected
  }

  /// The next bytes of the stream. Nil if the next block is not compressed yet, and more rows can be added meanwhile.
  ///
  /// - Throws: `outOfMemory`.
  private mutating func next() throws(WebP.ExportError) -> ContiguousArray<UInt8>? {
    guard blocks.count > 0, rowsLeft == 0 || blocks.count > blocksAtOnce || blocks.isNextDone else { return nil }
    guard let block = try blocks.next()?.get() else { return nil }
    checksum = adler32(checksum, followedBy: block.checksum, of: block.count)
    var bytes = block.compressed
    if rowsLeft == 0, blocks.count == 0 { bytes.appendBigEndian(checksum) }
    return bytes
  }
}

/// A compressed block of filtered rows.
private struct PNGBlock: Sendable {
  let compressed: ContiguousArray<UInt8>
  /// The number of uncompressed bytes.
  let count: Int
  /// The checksum of the uncompressed bytes.
  let checksum: UInt32

  init(
    _ rows: FilteredRows, _ compression: WebP.PNGCompression, after prefix: ContiguousArray<UInt8>, isLast: Bool,
    isIndexed: Bool
  ) throws(WebP.ExportError) {
    let bytes = rows.bytes.span.extracting(0..<rows.end)
    compressed = try compression.compress(
      bytes, from: rows.start, after: prefix, isLast: isLast, isIndexed: isIndexed)
    count = rows.count
    checksum = adler32(bytes.extracting(rows.start...))
  }
}
