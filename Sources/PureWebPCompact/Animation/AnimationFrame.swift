// The header of an ANMF chunk (RFC 9649, section 2.7.1.1).

/// A frame, and its position and method of composition.
struct AnimationFrame {
  var x = 0
  var y = 0
  /// The width of the frame's image, in pixels. 0 until it is known.
  var width = 0
  var height = 0
  /// In milliseconds.
  var duration = 0
  /// The range of its chunks in the file.
  var bytes = 0..<0
  /// Indicates whether the image may have pixels that are not opaque, according to its headers.
  var hasAlpha = false
  /// Indicates whether the canvas can be composed without earlier frames.
  var isKeyFrame = true
  /// Indicates whether the frame's pixels replace the canvas without blending. The alpha flag of a lossless frame is
  /// not considered, because the frame may have transparent pixels without it.
  var replacesCanvas = false
  /// Indicates whether the frame's rectangle becomes transparent after its duration.
  var isDisposed = false
  var isBlended = true
  var isLossy = true

  /// The number of bytes before the chunks in an ANMF chunk.
  static let headerCount = 16

  /// Reads the header of an ANMF chunk. All of its bytes must be available.
  ///
  ///     byte  0 … 2   3 … 5   6 … 8       9 … 11       12 … 14    15
  ///           x / 2   y / 2   width − 1   height − 1   duration   bit 0: disposed, bit 1: not blended
  ///
  /// The width and the height are only compared with their limit. Decoding uses the size in the image's own header.
  mutating func readHeader(_ bytes: Span<UInt8>, at offset: Int) throws(WebP.DecodeError) {
    x = 2 * bytes.littleEndian24(at: offset)
    y = 2 * bytes.littleEndian24(at: offset &+ 3)
    duration = bytes.littleEndian24(at: offset &+ 12)
    isDisposed = bytes[offset &+ 15] & 1 != 0
    isBlended = bytes[offset &+ 15] & 2 == 0
    let area = Int64(1 + bytes.littleEndian24(at: offset &+ 6)) &* Int64(1 + bytes.littleEndian24(at: offset &+ 9))
    guard area < 1 << 32 else { throw corrupt(.frameExceedsFormat, at: offset &+ 6) }
  }
}
