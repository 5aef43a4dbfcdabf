/// The payload of an ANIM chunk (RFC 9649, section 2.7.1.1); of several, the first one counts.
///
///     byte  0 … 3              4 … 5
///           background color   how often it is shown
struct AnimationHeader {
  /// B, G, R, A from the lowest byte on. White unless it says.
  private(set) var backgroundColor: UInt32 = 0xFFFF_FFFF
  /// 0: for ever.
  private(set) var loopCount = 1

  /// libwebp takes a payload that lacks its last byte, and then the padding for it.
  static let leastSize = 5

  /// That of a file that has none.
  init() {}

  init?(_ bytes: Span<UInt8>, at offset: Int) {
    guard offset + 6 <= bytes.count else { return nil }
    backgroundColor = bytes.littleEndian32(at: offset)
    loopCount = Int(bytes[offset + 4]) | Int(bytes[offset + 5]) << 8
  }
}
