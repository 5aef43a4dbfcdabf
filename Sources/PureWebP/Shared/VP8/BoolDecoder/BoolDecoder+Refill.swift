// The loading of bytes by the bool decoder (RFC 6386, section 7.3).

extension BoolDecoder {
  /// Appends the next seven bytes to the window, or one byte near the end of the bytes. After the end, it appends a
  /// zero and sets the position past the end.
  ///
  /// The function is not inlined and takes values, so that the decoder's own fields stay in registers.
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
