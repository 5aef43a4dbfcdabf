/// The payload of a VP8X chunk (RFC 9649, section 2.7).
///
///     byte  0          1 … 3   4 … 6       7 … 9
///           features   0       width − 1   height − 1
///           bit 1: animation, 2: XMP, 3: Exif, 4: alpha, 5: ICC profile
public struct ExtendedHeader: Sendable {
  public static let byteCount = 10

  public let features: UInt8
  /// The width of the canvas, in pixels.
  public let width: Int
  /// The height of the canvas, in pixels.
  public let height: Int

  public static let animationFeature: UInt8 = 0x02
  public static let xmpFeature: UInt8 = 0x04
  public static let exifFeature: UInt8 = 0x08
  public static let iccFeature: UInt8 = 0x20

  public var isAnimated: Bool { features & Self.animationFeature != 0 }
  public var hasAlpha: Bool { features & 0x10 != 0 }
  /// Indicates whether one of the bits 0, 6 and 7 is set.
  public var hasReservedFeatures: Bool { features & ~0x3E != 0 }

  /// The offset of `features` in a file, whose first chunk is VP8X.
  public static var featuresOffset: Int { RIFFHeader.byteCount &+ ChunkHeader.byteCount }

  /// - Parameter offset: the position of the chunk.
  /// - Returns: nil if more bytes are needed.
  public init?(_ header: ChunkHeader, _ bytes: Span<UInt8>, at offset: Int) throws(FormatError) {
    guard header.size == Self.byteCount else {
      throw FormatError(.invalidChunkSize, chunk: .vp8X, offset: offset &+ 4)
    }
    let payload = offset &+ ChunkHeader.byteCount
    guard payload &+ Self.byteCount <= bytes.count else { return nil }
    features = bytes[payload]
    width = 1 &+ bytes.littleEndian24(at: payload &+ 4)
    height = 1 &+ bytes.littleEndian24(at: payload &+ 7)
    guard Int64(width) &* Int64(height) < 1 << 32 else {  // neither exceeds 2²⁴
      throw FormatError(.canvasExceedsFormat, chunk: .vp8X, offset: payload &+ 4)
    }
  }
}

/// The payload of an ANIM chunk (RFC 9649, section 2.7.1.1). If there are several, the first one applies.
///
///     byte  0 … 3              4 … 5
///           background color   loop count
public struct AnimationHeader: Sendable {
  /// B, G, R, A, from the lowest byte on. The default is white.
  public private(set) var backgroundColor: UInt32 = 0xFFFF_FFFF
  /// The number of times that the animation is to be shown. 0 means forever.
  public private(set) var loopCount = 1

  public static let byteCount = 6
  /// libwebp accepts a payload without its last byte, and then reads the padding byte instead.
  public static let leastSize = 5

  /// The values for a file without an ANIM chunk.
  public init() {}

  /// Nil if the bytes end before the payload does.
  public init?(_ bytes: Span<UInt8>, at offset: Int) {
    guard offset &+ Self.byteCount <= bytes.count else { return nil }
    backgroundColor = bytes.littleEndian32(at: offset)
    loopCount = Int(bytes[offset &+ 4]) | Int(bytes[offset &+ 5]) << 8
  }
}

/// The first bytes of an ANMF chunk (RFC 9649, section 2.7.1.1).
///
///     byte  0 … 2   3 … 5   6 … 8       9 … 11       12 … 14    15
///           x / 2   y / 2   width − 1   height − 1   duration   bit 0: disposed, bit 1: not blended
public struct AnimationFrameHeader: Sendable {
  public static let byteCount = 16
  /// Like libwebp, the decoders accept a chunk without the last byte of the header, and then read its padding byte
  /// instead.
  public static let leastSize = 15

  /// The left column and the upper row of the frame on the canvas, in pixels.
  public var x = 0
  public var y = 0
  /// The area that the chunk specifies, in pixels. Decoders check only its limit and use the image's own size.
  public var area: Int64 = 1
  /// The duration, in milliseconds.
  public var duration = 0
  public var isBlended = true
  public var isDisposed = false

  /// The values of the single frame of a still image.
  public init() {}

  /// Nil if the bytes end before the header does.
  public init?(_ bytes: Span<UInt8>, at offset: Int) {
    guard offset <= bytes.count &- Self.byteCount else { return nil }
    x = 2 &* bytes.littleEndian24(at: offset)
    y = 2 &* bytes.littleEndian24(at: offset &+ 3)
    area = Int64(1 &+ bytes.littleEndian24(at: offset &+ 6)) &* Int64(1 &+ bytes.littleEndian24(at: offset &+ 9))
    duration = bytes.littleEndian24(at: offset &+ 12)
    isDisposed = bytes[offset &+ 15] & 1 != 0
    isBlended = bytes[offset &+ 15] & 2 == 0
  }

  /// The time for which browsers show a frame that has this duration, in milliseconds.
  ///
  /// The format leaves the interpretation of short durations to the viewer (RFC 9649, section 2.7.1.1). Most frames of
  /// at most 10 ms were converted from GIFs. Browsers show them for 100 ms, as in a GIF.
  public static func displayDuration(_ duration: Int) -> Int { duration < 11 ? 100 : duration }
}

/// The first byte of an alpha chunk (RFC 9649, section 2.7.1.2):
///
///     ├ compression, 2 bits ┬ filter, 2 ┬ pre-processing, 2 ┬ reserved, 2 ┤    lowest bits first
public struct AlphaHeader: Sendable {
  /// The prediction of a row: none, from the left, from above, or from both. The payload stores differences from it.
  public enum Filter: UInt8, Sendable { case none, horizontal, vertical, gradient }

  /// If true, the payload is a VP8L stream without its header, and alpha is its green channel. Otherwise the payload
  /// has one byte per pixel.
  public let isCompressed: Bool
  public let filter: Filter
  /// Indicates that the encoder has reduced the number of alpha levels.
  public let isReduced: Bool

  /// Checks the header.
  ///
  /// - Parameter payload: the range of the chunk's payload in `bytes`, which must be complete.
  public init(_ bytes: Span<UInt8>, payload: Range<Int>) throws(FormatError) {
    func invalid(_ cause: ErrorCause) -> FormatError {
      FormatError(cause, chunk: .alph, offset: payload.lowerBound, status: 1)
    }
    guard payload.count > 1 else { throw invalid(.emptyAlpha) }
    let header = bytes[payload.lowerBound]
    guard header & 3 <= 1 else { throw invalid(.invalidAlphaCompression) }
    guard header >> 4 & 3 <= 1 else { throw invalid(.invalidAlphaPreprocessing) }
    guard header >> 6 == 0 else { throw invalid(.reservedAlphaBits) }
    isCompressed = header & 3 == 1
    filter = Filter(rawValue: header >> 2 & 3) ?? .none
    isReduced = header >> 4 & 3 == 1
  }
}
