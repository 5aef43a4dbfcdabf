// Rows are written in batches, because a copy of the complete image would double the memory.

import PureWebP

/// Receives the next bytes of a file.
typealias TypedSink = (ContiguousArray<UInt8>) throws(WebP.ExportError) -> Void

/// Passes rows to a sink, in batches of about 256 KiB.
///
/// - Parameters:
///   - bytes: The size of a written row, including padding.
///   - append: Adds a row to the next batch.
/// - Throws: The error of the sink; `cancelled`.
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
    try checkCancellation()
    try sink(batch)
    batch.removeAll(keepingCapacity: true)
  }
}

extension WebP.Image {
  /// Writes the rows of a plane, each followed by `padding` zeros.
  func write(_ plane: WebP.Layout.Plane, padding: Int = 0, to sink: TypedSink) throws(WebP.ExportError) {
    try writeRows(plane.rows, of: plane.rowBytes + padding, to: sink) { row, batch in
      batch.append(contentsOf: pixels[plane.range(ofRow: row)])
      batch.append(zeros: padding)
    }
  }
}

extension WebP.Layout.Plane {
  /// The bytes of a row's pixels, without the gap that follows them.
  func range(ofRow row: Int) -> Range<Int> {
    let start = offset + row * stride
    return start..<start + rowBytes
  }
}
