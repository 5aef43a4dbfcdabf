// Rows go out a few hundred kilobytes at a time: a copy of the whole picture would take as much memory as the picture.

import PureWebP

/// Takes the next bytes of a file.
typealias TypedSink = (ContiguousArray<UInt8>) throws(WebP.ExportError) -> Void

/// Hands out rows, as many at once as make a handy amount of bytes.
///
/// - Parameters:
///   - bytes: of a row, as it is written.
///   - append: adds a row to those that are handed out next.
func writeRows(
  _ rows: Int, of bytes: Int, to sink: TypedSink,
  append: (_ row: Int, _ batch: inout ContiguousArray<UInt8>) -> Void
) throws(WebP.ExportError) {
  let rowsPerBatch = max(1, (1 << 18) / max(1, bytes))
  var batch = ContiguousArray<UInt8>()
  batch.reserveCapacity(min(rows, rowsPerBatch) * bytes)
  for row in 0..<rows {
    append(row, &batch)
    guard (row + 1) % rowsPerBatch == 0 || row + 1 == rows else { continue }
    try sink(batch)
    batch.removeAll(keepingCapacity: true)
  }
}

extension WebP.Image {
  /// Hands out the rows of a plane, each with so many zeros behind it.
  func write(_ plane: WebP.Layout.Plane, padding: Int = 0, to sink: TypedSink) throws(WebP.ExportError) {
    try writeRows(plane.rows, of: plane.rowBytes + padding, to: sink) { row, batch in
      batch.append(contentsOf: pixels[plane.range(ofRow: row)])
      batch.append(zeros: padding)
    }
  }
}

extension WebP.Layout.Plane {
  /// Where the pixels of a row are, without the gap behind them.
  func range(ofRow row: Int) -> Range<Int> {
    let start = offset + row * stride
    return start..<start + rowBytes
  }
}
