// The header of a VP8L stream (RFC 9649, section 3.4).
//
//   byte 0     1            2            3            4
//   ├ 0x2F ────┼ width − 1, 14 bits ───┬ height − 1, 14 bits ──┬ alpha, 1 ┬ version, 3 ┤    lowest bits first

/// The five bytes before a lossless image.
struct LosslessHeader {
  static let byteCount = 5

  /// The size of the image, in pixels: each side is 1...16384.
  let width: Int
  let height: Int
  /// Indicates whether the image may have pixels that are not opaque. This is only a hint, and does not affect the
  /// pixels.
  let hasAlpha: Bool

  /// Nil if fewer than five bytes follow `offset`, or if the signature or the version is not VP8L's.
  init?(_ bytes: Span<UInt8>, at offset: Int) {
    guard offset >= 0, offset <= bytes.count - Self.byteCount else { return nil }
    let fields = bytes.littleEndian32(at: offset + 1)
    guard bytes[offset] == 0x2F, fields >> 29 == 0 else { return nil }
    width = Int(fields & 0x3FFF) + 1
    height = Int(fields >> 14 & 0x3FFF) + 1
    hasAlpha = fields >> 28 & 1 == 1
  }

  /// Returns whether a VP8L stream can begin with these bytes. More bytes may follow later.
  static func mayBegin(_ bytes: Span<UInt8>) -> Bool {
    (bytes.isEmpty || bytes[0] == 0x2F) && (bytes.count < byteCount || bytes[4] >> 5 == 0)
  }
}
