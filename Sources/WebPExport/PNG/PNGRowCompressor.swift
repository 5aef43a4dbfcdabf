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
  private(set) var rowsLeft: Int
  /// Nil if the pixels are indices, whose differences are meaningless.
  private var filter: PNGFilter?
  /// The filtered rows that have not been compressed.
  private var rows = ContiguousArray<UInt8>()
  /// The bytes that precede `rows`, for use as a dictionary.
  private var before = ContiguousArray<UInt8>()

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
    rowsLeft = header.height
    if case .palette = header.colorType {
    } else {
      filter = PNGFilter(pixelBytes: header.colorType.channels, bytesPerRow: bytesPerRow)
    }
    // A single block gains nothing from a second thread.
    let count = header.isLonger(than: Self.blockBytes) ? threads.count : 1
    blocks = OrderedWorkQueue(threads: count)
    blocksAtOnce = count > 1 ? 2 * count : 0
  }

  /// Adds rows, and passes the bytes of the stream that are available to the sink.
  ///
  /// - Parameter rows: Complete rows without gaps, at most `rowsLeft`.
  /// - Throws: The error of the sink; `outOfMemory`; `cancelled`.
  mutating func append(rows: Span<UInt8>, to sink: TypedSink) throws(WebP.ExportError) {
    precondition(rows.count % bytesPerRow == 0, "the last row is not whole")
    for start in stride(from: 0, to: rows.count, by: bytesPerRow) {
      append(rows.extracting(start..<start + bytesPerRow))
      if self.rows.count >= Self.blockBytes || rowsLeft == 0 {
        try checkCancellation()
        sendBlock()
      }
      while let part = try next() { try sink(part) }
    }
  }

  private mutating func append(_ row: Span<UInt8>) {
    precondition(rowsLeft > 0, "more rows than the header has")
    rowsLeft -= 1
    if filter?.append(row, to: &rows) == nil {
      rows.append(0)
      for index in row.indices { rows.append(row[index]) }
    }
  }

  private mutating func sendBlock() {
    let (rows, before, compression, isLast) = (rows, before, compression, rowsLeft == 0)
    blocks.add { PNGBlock.compressing(rows, after: before, compression, isLast: isLast) }
    self.before = ContiguousArray(rows.suffix(deflateWindow))
    self.rows = []
  }

  /// The next bytes of the stream. Nil if the next block is not compressed yet, and more rows can be added meanwhile.
  ///
  /// - Throws: `outOfMemory`.
  private mutating func next() throws(WebP.ExportError) -> ContiguousArray<UInt8>? {
    guard rowsLeft == 0 || blocks.count > blocksAtOnce || blocks.isNextDone else { return nil }
    guard let block = try blocks.next()?.get() else { return nil }
    checksum = adler32(checksum, followedBy: block.checksum, of: block.count)
    // The zlib header: a window of 32 KiB, default compression.
    var bytes: ContiguousArray<UInt8> = isStarted ? [] : [0x78, 0x9C]
    isStarted = true
    bytes += block.compressed
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

  static func compressing(
    _ bytes: ContiguousArray<UInt8>, after before: ContiguousArray<UInt8>, _ compression: WebP.PNGCompression,
    isLast: Bool
  ) -> Result<Self, WebP.ExportError> {
    do throws(WebP.ExportError) {
      var output = ContiguousArray<UInt8>()
      let effort = try compression.effort(for: bytes.span)
      try deflate(bytes.span, after: before.span, isLast: isLast, effort, onto: &output)
      return .success(Self(compressed: output, count: bytes.count, checksum: adler32(bytes.span)))
    } catch {
      return .failure(error)
    }
  }
}
