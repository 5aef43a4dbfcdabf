// The header of a VP8L stream (RFC 9649, section 3.4).
//
//   byte 0     1            2            3            4
//   ├ 0x2F ────┼ width − 1, 14 bits ───┬ height − 1, 14 bits ──┬ alpha, 1 ┬ version, 3 ┤    lowest bits first

/// What the five bytes before a lossless picture say.
struct LosslessHeader {
  static let byteCount = 5

  let width: Int
  let height: Int
  /// Whether there may be pixels that are not opaque. A hint: it changes no pixel.
  let hasAlpha: Bool

  /// Nil where fewer than five bytes follow `offset`, or the signature or the version is not VP8L's.
  init?(_ bytes: Span<UInt8>, at offset: Int) {
    guard offset >= 0, offset <= bytes.count - Self.byteCount else { return nil }
    let fields = bytes.littleEndian32(at: offset + 1)
    guard bytes[offset] == 0x2F, fields >> 29 == 0 else { return nil }
    width = Int(fields & 0x3FFF) + 1
    height = Int(fields >> 14 & 0x3FFF) + 1
    hasAlpha = fields >> 28 & 1 == 1
  }

  /// Whether a bitstream may begin with these bytes, of which some may not be available yet.
  static func mayBegin(_ bytes: Span<UInt8>) -> Bool {
    (bytes.isEmpty || bytes[0] == 0x2F) && (bytes.count < byteCount || bytes[4] >> 5 == 0)
  }
}
