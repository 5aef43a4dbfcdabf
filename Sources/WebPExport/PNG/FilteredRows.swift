internal import WebPFormat

/// Filtered rows that have not been compressed, and the bytes that precede them, to which repetitions may refer.
struct FilteredRows: Sendable {
  /// The preceding bytes, at most `deflateWindow`, the rows, and unused memory.
  fileprivate(set) var bytes: ContiguousArray<UInt8>
  /// The position of the first row.
  let start: Int
  /// The end of the last row.
  fileprivate(set) var end: Int

  /// - Parameters:
  ///   - previous: the rows that precede these. Nil at the start of a stream.
  ///   - capacity: the maximum number of bytes.
  init(after previous: Self?, capacity: Int) {
    start = min(previous?.end ?? 0, deflateWindow)
    end = start
    bytes = .init(uninitializedCount: start + capacity + filterMargin)
    if let previous { bytes.copy(start, from: previous.bytes.span, at: previous.end - start, to: 0) }
  }

  /// The number of bytes of the rows.
  var count: Int { end - start }
}

/// Applies a filter to each row. By default, this is the filter with the smallest sum of absolute differences.
struct PNGFilter {
  /// The number of the filter for all rows. Nil selects a filter for each row.
  private let fixedCode: UInt8?
  /// The distance from a byte to the corresponding byte of the pixel to its left.
  private let pixelBytes: Int
  private let bytesPerRow: Int
  // Rows with the margins that the kernels need: a pixel of zeros, which is the left neighbor of the first pixel, and
  // slack.
  private var row: ContiguousArray<UInt8>
  private var above: ContiguousArray<UInt8>

  init(pixelBytes: Int, bytesPerRow: Int, fixedCode: UInt8?) {
    self.fixedCode = fixedCode
    self.pixelBytes = pixelBytes
    self.bytesPerRow = bytesPerRow
    row = .init(filledWith: 0, count: pixelBytes + bytesPerRow + filterMargin)
    above = row
  }

  /// Appends the number of the selected filter, and the filtered `bytes`.
  mutating func append(_ bytes: Span<UInt8>, to output: inout FilteredRows) {
    swap(&row, &above)
    row.copy(bytesPerRow, from: bytes, at: 0, to: pixelBytes)
    let code =
      fixedCode ?? smallestFilter(row.span, above: above.span, pixelBytes: pixelBytes, count: bytesPerRow)
    let start = output.end
    output.end += 1 + bytesPerRow
    var target = output.bytes.mutableSpan
    target[start] = code
    filter(
      row.span, above: above.span, pixelBytes: pixelBytes, count: bytesPerRow, code: code, into: &target,
      at: start + 1)
  }
}
