/// Determines which rows of the image become final with each row of macroblocks, because the loop filter will not
/// change them anymore.
struct RowSchedule {
  let height: Int
  let macroblockRows: Int
  /// The number of reconstructed rows that the loop filter may still change: 0, 2 or 8.
  let deferredRows: Int

  /// The largest number of rows that become final with one row of macroblocks. With the last row of macroblocks, they
  /// include the deferred rows.
  var mostRows: Int { min(16 + deferredRows, height) }

  /// The rows that become final with row `y` of macroblocks.
  func rows(at y: Int) -> Range<Int> {
    let start = y == 0 ? 0 : 16 * y - deferredRows
    return start..<(y == macroblockRows - 1 ? height : 16 * (y + 1) - deferredRows)
  }
}
