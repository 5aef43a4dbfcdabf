/// Some rows of macroblocks that go through the stages of decoding together.
///
///     rows   ├ written ──┼ drawn ─────┼ parsed ──────────┼ prepared ──┼ room ┤
///              to the OutputWriter   with pixels   with coefficients   with modes
struct MacroblockBatch {
  /// Which row of the picture the first one is.
  private(set) var start = 0
  var rows: ContiguousArray<MacroblockRow>
  private(set) var written = 0
  private(set) var drawn = 0
  private(set) var parsed = 0
  private(set) var prepared = 0
  /// What is wrong with the row behind those that are prepared.
  private var fault: WebP.DecodeError?

  /// - Parameters:
  ///   - rows: how many it has room for.
  ///   - columns: how many macroblocks a row has.
  ///   - rowsHeldBack: of `RowSchedule`.
  init(rows: Int, columns: Int, rowsHeldBack: Int) {
    self.rows = .init(repeating: MacroblockRow(columns: columns, rowsHeldBack: rowsHeldBack), count: rows)
  }

  /// Whether all rows are parsed, and nothing is wrong with the next one.
  var isParsed: Bool { parsed == prepared && fault == nil }
  /// Whether parsed rows wait to be drawn.
  var isToBeDrawn: Bool { drawn < parsed }
  /// Whether drawn rows wait to be written.
  var isToBeWritten: Bool { written < drawn }
  /// What is wrong with the next row to be parsed.
  var nextFault: WebP.DecodeError? { parsed == prepared ? fault : nil }

  /// Makes room for rows of the picture from `row` on.
  mutating func restart(at row: Int) {
    (start, written, drawn, parsed, prepared) = (row, 0, 0, 0, 0)
  }

  mutating func countWritten() { written += 1 }
  mutating func countDrawn() { drawn += 1 }
  mutating func countParsed() { parsed += 1 }
  mutating func countPrepared() { prepared += 1 }

  /// Nothing but `fault` comes behind the first `count` rows.
  mutating func end(behind count: Int, with fault: WebP.DecodeError) {
    prepared = count
    self.fault = fault
  }
}
