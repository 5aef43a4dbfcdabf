/// The positions of the token partitions (RFC 6386, section 9.5).
struct TokenPartitions {
  /// 1, 2, 4 or 8. Row r of macroblocks is in partition r modulo `count`.
  let count: Int
  /// The position of the partition sizes. The last partition has none.
  let sizes: Int
  /// The position of the first token partition.
  var start: Int { sizes &+ 3 &* (count &- 1) }

  /// The range of a partition, which may extend beyond the available bytes. The end of the last partition is `Int.max`.
  ///
  /// - Parameter bytes: at least the bytes before `start`.
  func range(_ index: Int, _ bytes: Span<UInt8>) -> Range<Int> {
    var (start, end) = (start, start)
    for partition in 0...index {
      start = end
      end = partition == count &- 1 ? .max : start &+ bytes.littleEndian24(at: sizes &+ 3 &* partition)
    }
    return start..<end
  }
}
