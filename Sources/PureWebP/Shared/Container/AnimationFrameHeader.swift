/// The first bytes of an ANMF chunk (RFC 9649, section 2.7.1.1).
///
///     byte  0 … 2   3 … 5   6 … 8       9 … 11       12 … 14    15
///           x / 2   y / 2   width − 1   height − 1   duration   bit 0: disposed, bit 1: not blended
struct AnimationFrameHeader {
  static let byteCount = 16
  /// Like libwebp, the decoders accept a chunk without the last byte of the header, and then read its padding byte
  /// instead.
  static let leastSize = 15

  /// The left column and the upper row of the frame on the canvas, in pixels.
  var x = 0
  var y = 0
  /// The area that the chunk specifies, in pixels. Decoders check only its limit and use the image's own size.
  var area: Int64 = 1
  /// The duration, in milliseconds.
  var duration = 0
  var isBlended = true
  var isDisposed = false

  /// The header of the single frame of a still image.
  init() {}

  /// Nil if the bytes end before the header does.
  init?(_ bytes: Span<UInt8>, at offset: Int) {
    guard offset <= bytes.count - Self.byteCount else { return nil }
    x = 2 * bytes.littleEndian24(at: offset)
    y = 2 * bytes.littleEndian24(at: offset + 3)
    area = Int64(1 + bytes.littleEndian24(at: offset + 6)) &* Int64(1 + bytes.littleEndian24(at: offset + 9))
    duration = bytes.littleEndian24(at: offset + 12)
    isDisposed = bytes[offset + 15] & 1 != 0
    isBlended = bytes[offset + 15] & 2 == 0
  }
}
