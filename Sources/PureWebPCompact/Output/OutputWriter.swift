/// Writes an image, whose rows arrive in order and in batches, as R G B A. Rows are neither cropped, scaled nor
/// rotated.
struct OutputWriter {
  let width: Int
  let height: Int
  /// The number of finished rows, from the top.
  private(set) var finishedRows = 0
  var isFinished: Bool { finishedRows == height }
  /// The row that is at the beginning of `pixels`.
  private var firstRow = 0
  /// The number of finished rows at which decoding pauses.
  private var rowLimit: Int
  var isPaused: Bool { finishedRows >= rowLimit }

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    rowLimit = height
  }

  /// Writes the next rows of a lossy image.
  ///
  /// Two luma rows share a chroma row. An odd luma row lies between its own chroma row and the next one, which arrives
  /// with the next luma row. Therefore the last row of a batch is deferred until the next batch.
  ///
  /// - Parameter alpha: the alpha of the row above the first one, and then of the rows.
  mutating func write(_ rows: borrowing YUVRows, alpha: Span<UInt8>, into pixels: inout MutableSpan<UInt8>) {
    let first = rows.rows.lowerBound &- 1
    let end = rows.rows.upperBound == height ? height : rows.rows.upperBound &- 1
    for row in finishedRows..<end {
      rows.upsample(
        row, height: height, alpha: alpha, at: (row &- first) &* width, into: &pixels, at: offset(ofRow: row),
        width: width)
    }
    finishedRows = end
  }

  /// The offset of a row in `pixels`.
  func offset(ofRow row: Int) -> Int { (row &- firstRow) &* width &* 4 }

  /// Lets decoding pause after the next group of rows, which is written to the beginning of `pixels`. Returns the first
  /// row of the group.
  mutating func beginRows() -> Int {
    firstRow = finishedRows
    rowLimit = finishedRows + 1
    return firstRow
  }

  /// Counts `rows` as finished. The caller has written them.
  mutating func finish(rows: Range<Int>) { finishedRows = rows.upperBound }
}
