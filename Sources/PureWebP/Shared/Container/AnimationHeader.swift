/// The payload of an ANIM chunk (RFC 9649, section 2.7.1.1). If there are several, the first one applies.
///
///     byte  0 … 3              4 … 5
///           background color   loop count
struct AnimationHeader {
  /// B, G, R, A, from the lowest byte on. The default is white.
  private(set) var backgroundColor: UInt32 = 0xFFFF_FFFF
  /// The number of times that the animation is to be shown. 0 means forever.
  private(set) var loopCount = 1

  /// libwebp accepts a payload without its last byte, and then reads the padding byte instead.
  static let leastSize = 5

  /// The values for a file without an ANIM chunk.
  init() {}

  /// Nil if the bytes end before the payload does.
  init?(_ bytes: Span<UInt8>, at offset: Int) {
    guard offset + 6 <= bytes.count else { return nil }
    backgroundColor = bytes.littleEndian32(at: offset)
    loopCount = Int(bytes[offset + 4]) | Int(bytes[offset + 5]) << 8
  }
}
