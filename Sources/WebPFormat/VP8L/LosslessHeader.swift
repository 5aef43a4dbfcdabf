// The header of a VP8L stream (RFC 9649, section 3.4).
//
//   byte 0     1            2            3            4
//   ├ 0x2F ────┼ width − 1, 14 bits ───┬ height − 1, 14 bits ──┬ alpha, 1 ┬ version, 3 ┤    lowest bits first

/// The five bytes before a lossless image.
public struct LosslessHeader: Sendable {
  public static let byteCount = 5

  /// The size of the image, in pixels: each side is 1...16384.
  public let width: Int
  public let height: Int
  /// Indicates whether the image may have pixels that are not opaque. This is only a hint, and does not affect the
  /// pixels.
  public let hasAlpha: Bool

  /// Nil if fewer than five bytes follow `offset`, or if the signature or the version is not VP8L's.
  public init?(_ bytes: Span<UInt8>, at offset: Int) {
    guard offset >= 0, offset <= bytes.count - Self.byteCount else { return nil }
    let fields = bytes.littleEndian32(at: offset + 1)
    guard bytes[offset] == 0x2F, fields >> 29 == 0 else { return nil }
    width = Int(fields & 0x3FFF) + 1
    height = Int(fields >> 14 & 0x3FFF) + 1
    hasAlpha = fields >> 28 & 1 == 1
  }

  /// Returns whether a VP8L stream can begin with these bytes. More bytes may follow later.
  public static func mayBegin(_ bytes: Span<UInt8>) -> Bool {
    (bytes.isEmpty || bytes[0] == 0x2F) && (bytes.count < byteCount || bytes[4] >> 5 == 0)
  }
}

/// The location of a VP8L stream in the input, and the errors that are reported for it.
public struct LosslessStream: Sendable {
  /// The offset of the first byte after the header.
  public let start: Int
  /// The end of the bytes. Nil if they extend to the end of the input.
  public let end: Int?
  public let isAlpha: Bool

  public init(start: Int, end: Int?, isAlpha: Bool) {
    self.start = start
    self.end = end
    self.isAlpha = isAlpha
  }

  /// libwebp's status for an error in the transforms or the prefix codes: OUT_OF_MEMORY if the decoder of alpha cannot
  /// be initialized, otherwise BITSTREAM_ERROR.
  public var headerStatus: Int { isAlpha ? 1 : 3 }

  /// The end of the bits, given the number of available bytes.
  public func endBit(byteCount: Int, isComplete: Bool) -> Int {
    // libwebp's reader always loads eight bytes first, and pads a shorter stream with zeros.
    let first = isAlpha ? start : start - LosslessHeader.byteCount
    return 8 * (isComplete ? max(byteCount, first + 8) : byteCount)
  }

  public func truncated(at offset: Int, status: Int) -> FormatError {
    FormatError(
      isAlpha ? .truncatedAlpha : .truncatedImage, chunk: isAlpha ? .alph : .vp8L, offset: offset, status: status)
  }

  public func corrupt(_ cause: ErrorCause, at bit: Int, status: Int) -> FormatError {
    FormatError(cause, chunk: isAlpha ? .alph : .vp8L, offset: bit / 8, status: status)
  }
}
