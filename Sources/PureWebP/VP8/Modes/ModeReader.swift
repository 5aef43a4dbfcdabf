/// The stage that gives rows their modes.
struct ModeReader {
  private var modes: ModeParser
  private let firstPartition: Range<Int>
  /// How many rows of macroblocks there are, and how many of them have got their modes.
  private let rows: Int
  private var rowsPrepared = 0

  init(_ frame: Frame) {
    modes = ModeParser(frame.header, decoder: frame.decoder)
    firstPartition = frame.firstPartition
    rows = frame.header.macroblockRows
  }

  /// Fills `batch` with rows, the ones behind those of the last call, that have modes and no coefficients yet.
  ///
  /// - Returns: whether there are any; or what is wrong with the first.
  mutating func prepare(_ batch: inout MacroblockBatch, _ bytes: Span<UInt8>) -> Bool {
    batch.restart(at: rowsPrepared)
    while batch.prepared < batch.rows.count, rowsPrepared < rows {
      guard modes.parseRow(&batch.rows[batch.prepared], bytes.extracting(firstPartition)) else {
        let fault = WebP.DecodeError.truncatedFrame(
          "the first partition ends before the modes do", at: firstPartition.upperBound)
        batch.end(behind: batch.prepared, with: fault)
        return true
      }
      batch.countPrepared()
      rowsPrepared += 1
    }
    return batch.prepared > 0
  }
}
