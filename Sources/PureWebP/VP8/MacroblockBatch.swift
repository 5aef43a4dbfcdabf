internal import WebPFormat

/// Rows of macroblocks that pass through the stages of decoding together.
///
///     rows   ├ written ───────────┼ reconstructed ┼ parsed ────────────┼ prepared ───┼ room ┤
///              to the OutputWriter  with pixels     with coefficients    with modes
struct MacroblockBatch {
  /// The index of the first row in the image.
  private(set) var start = 0
  var rows: ContiguousArray<MacroblockRow>
  var written = 0
  var reconstructed = 0
  var parsed = 0
  var prepared = 0
  /// The error in the row after the prepared rows. It is never cleared, because no rows follow it.
  private var fault: WebP.DecodeError?

  /// - Parameters:
  ///   - rows: the capacity.
  ///   - columns: the number of macroblocks in a row.
  ///   - deferredRows: see `RowSchedule`.
  init(rows: Int, columns: Int, deferredRows: Int) {
    self.rows = .init(filledWith: MacroblockRow(columns: columns, deferredRows: deferredRows), count: rows)
  }

  /// Indicates whether all prepared rows are parsed, and no error follows them.
  var isParsed: Bool { parsed == prepared && fault == nil }
  /// The error in the row that would be parsed next. Nil if that row has none.
  var nextFault: WebP.DecodeError? { parsed == prepared ? fault : nil }

  /// Empties the batch, for rows of the image from `row` on.
  mutating func restart(at row: Int) {
    (start, written, reconstructed, parsed, prepared) = (row, 0, 0, 0, 0)
  }

  /// Ends the batch after the first `count` rows, with the error in the row that follows.
  mutating func end(after count: Int, with fault: WebP.DecodeError) {
    prepared = count
    self.fault = fault
  }
}

/// A row of macroblocks: its parsed modes and coefficients, and its pixels.
struct MacroblockRow {
  var macroblocks: ContiguousArray<Macroblock>
  var coefficients: QuantizedCoefficients
  /// The alpha of the image rows that become final with this row (see `RowSchedule`): a byte for each pixel without
  /// gaps, and `YUVRows.slack` more bytes. Empty for an opaque image.
  var alpha: ContiguousArray<UInt8> = []
  /// The pixels: see `Reconstruction`.
  var pixels: YUVRows

  /// - Parameter deferredRows: see `RowSchedule`.
  init(columns: Int, deferredRows: Int) {
    pixels = YUVRows(columns: columns, rowsAbove: deferredRows)
    macroblocks = .init(filledWith: Macroblock(), count: columns)
    coefficients = QuantizedCoefficients(columns: columns)
  }
}
