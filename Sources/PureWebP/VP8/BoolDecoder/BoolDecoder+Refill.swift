extension BoolDecoder {
  /// Reads seven bytes at once, or near the end one. When there are none, a zero stands in, and the position says so.
  ///
  /// By value and out of line: the decoder's own fields then stay in registers.
  @inline(never)
  static func refilled(
    _ window: UInt64, _ spare: Int32, _ position: Int, _ bytes: Span<UInt8>
  ) -> (UInt64, Int32, Int) {
    if position <= bytes.count &- 8 {
      let next = bytes.loadBigEndian(at: position)
      return (window << 56 | next >> 8, spare &+ 56, position &+ 7)
    }
    guard position < bytes.count else { return (window << 8, spare &+ 8, bytes.count &+ 1) }
    return (window << 8 | UInt64(bytes[position]), spare &+ 8, position &+ 1)
  }
}
