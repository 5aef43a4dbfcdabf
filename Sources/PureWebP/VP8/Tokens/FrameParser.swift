/// The stage that gives rows their coefficients.
struct FrameParser {
  private var tokens: TokenParser
  private let partitions: TokenPartitions

  init(_ frame: Frame) {
    tokens = TokenParser(frame)
    partitions = frame.tokenPartitions
  }

  /// Parses row `y`. False: the bytes end before the row does, and more may come.
  mutating func parse(
    _ row: inout MacroblockRow, at y: Int, _ bytes: Span<UInt8>, isComplete: Bool
  ) throws(WebP.DecodeError) -> Bool {
    let partition = partitions.range(y & (partitions.count - 1), bytes)
    let end = min(partition.upperBound, bytes.count)
    if tokens.parseRow(&row, at: y, bytes.extracting(min(partition.lowerBound, end)..<end)) { return true }
    if isComplete || partition.upperBound <= bytes.count {
      throw .truncatedFrame("a token partition ends before its rows do", at: end)
    }
    return false
  }
}
