/// Where the token partitions are (section 9.5).
struct TokenPartitions {
  /// 1, 2, 4 or 8. Row r of macroblocks is in partition r modulo this.
  let count: Int
  /// Where their sizes are. The last partition has none.
  let sizes: Int
  /// Where the first one starts.
  var start: Int { sizes &+ 3 &* (count &- 1) }

  /// Where a partition is. The last one has no end; others, too, may end behind the bytes.
  ///
  /// - Parameter bytes: those before `start` at least.
  func range(_ index: Int, _ bytes: Span<UInt8>) -> Range<Int> {
    var (start, end) = (start, start)
    for place in 0...index {
      start = end
      end = place == count &- 1 ? .max : start &+ bytes.littleEndian24(at: sizes &+ 3 &* place)
    }
    return start..<end
  }
}

extension WebP.DecodeError {
  static func truncatedFrame(_ detail: StaticString, at offset: Int) -> Self {
    Self(.truncated, detail, chunk: .vp8, offset: offset)
  }
}
