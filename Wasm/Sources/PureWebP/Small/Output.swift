// This file implements the output of decoded rows, in R G B A. A browser scales, crops and rotates images itself.

/// Writes a picture, whose rows come in order and in batches, as R G B A.
struct Output {
  let width: Int
  let height: Int
  /// Counted from the top.
  private(set) var finishedRows = 0
  var isFinished: Bool { finishedRows == height }

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// Takes the next rows of a lossy picture.
  ///
  /// Chroma has a row for two of luma. A row of odd number lies between its own row of chroma and the next, which comes
  /// with the next row of luma: the last row of a batch waits for it, and is held with those that come.
  ///
  /// - Parameter alpha: of the row above the first, and then of those that come.
  mutating func write(_ rows: borrowing YUVRows, alpha: Span<UInt8>, into pixels: inout MutableSpan<UInt8>) {
    let first = rows.rows.lowerBound &- 1
    let end = rows.rows.upperBound == height ? height : rows.rows.upperBound &- 1
    for row in finishedRows..<end {
      rows.upsample(
        row, height: height, alpha: alpha, at: (row &- first) &* width, into: &pixels, at: row &* width &* 4,
        width: width)
    }
    finishedRows = end
  }

  /// Where a lossless decoder writes rows from `row` on itself.
  func directRows(from row: Int) -> (offset: Int, stride: Int)? { (row * width * 4, width * 4) }

  /// Counts `rows` as finished, which have been written to where `directRows(from:)` told.
  mutating func skip(rows: Range<Int>) { finishedRows = rows.upperBound }
}
