// The header of a chunk: the eight bytes before its payload (RFC 9649, section 2.3).
//
//   ├ FourCC ┤ size, little-endian ┤ payload: size bytes ┤ a zero byte if size is odd
//
// Sizes have 64 bits, because files can have nearly 2³² bytes even if `Int` has 32 bits.

public struct ChunkHeader: Sendable {
  public static let byteCount = 8
  /// Larger sizes are rejected, as in libwebp, so that the size of a padded chunk fits in 32 bits.
  public static let maximumSize: Int64 = 0xFFFF_FFF6

  public let fourCC: FourCC
  /// The size of the payload, without padding.
  public let size: Int64

  /// Nil if fewer than eight bytes follow `offset`.
  public init?(_ bytes: Span<UInt8>, at offset: Int) {
    guard offset >= 0, offset <= bytes.count &- Self.byteCount else { return nil }
    fourCC = FourCC(rawValue: bytes.littleEndian32(at: offset))
    size = Int64(bytes.littleEndian32(at: offset &+ 4))
  }

  /// The chunk has the bitstream of an image.
  public var isImage: Bool { fourCC == .vp8 || fourCC == .vp8L }
  /// The distance from the first byte of this chunk to the first byte of the next one.
  public var paddedSize: Int64 { (Int64(Self.byteCount) &+ size &+ 1) & ~1 }
}

extension ChunkHeader {
  /// Reads the header of a chunk. Nil if more bytes are needed.
  ///
  /// - Throws: If the file ends before the chunk or its header does.
  public init?(_ bytes: Span<UInt8>, at offset: Int, fileEnd end: Int64) throws(FormatError) {
    guard Int64(offset &+ Self.byteCount) <= end else {
      throw FormatError(.incompleteChunkHeader, offset: offset)
    }
    self.init(bytes, at: offset)
    guard size <= Self.maximumSize, Int64(offset) &+ paddedSize <= end else {
      throw FormatError(.chunkExceedsFile, chunk: fourCC, offset: offset &+ 4)
    }
  }
}

/// The four characters that name a chunk (RFC 9649, section 2.3), read as a little-endian number.
public struct FourCC: Hashable, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Not a chunk.
  public static var none: Self { Self(rawValue: 0) }
  public static var riff: Self { Self(rawValue: 0x4646_4952) }
  public static var webp: Self { Self(rawValue: 0x5042_4557) }
  public static var vp8: Self { Self(rawValue: 0x2038_5056) }
  public static var vp8L: Self { Self(rawValue: 0x4C38_5056) }
  public static var vp8X: Self { Self(rawValue: 0x5838_5056) }
  public static var alph: Self { Self(rawValue: 0x4850_4C41) }
  public static var anim: Self { Self(rawValue: 0x4D49_4E41) }
  public static var anmf: Self { Self(rawValue: 0x464D_4E41) }
  public static var iccp: Self { Self(rawValue: 0x5043_4349) }
  public static var exif: Self { Self(rawValue: 0x4649_5845) }
  public static var xmp: Self { Self(rawValue: 0x2050_4D58) }

  /// Indicates whether the standard defines a chunk with this FourCC.
  public var isKnown: Bool {
    switch self {
    case .vp8, .vp8L, .vp8X, .alph, .anim, .anmf, .iccp, .exif, .xmp: true
    default: false
    }
  }
}

/// The header of a file (RFC 9649, section 2.4).
///
///     byte  0 … 3   4 … 7   8 … 11
///           RIFF    size    WEBP
public struct RIFFHeader: Sendable {
  public static let byteCount = 12

  /// The size of the file from byte 8 on.
  public let size: Int64

  /// The end of the file. Later bytes are ignored.
  public var end: Int64 { Int64(ChunkHeader.byteCount) &+ size }

  /// Nil if the bytes do not begin with RIFF: they may be a bare bitstream. At least twelve bytes are required.
  public init?(_ bytes: Span<UInt8>) throws(FormatError) {
    guard let header = ChunkHeader(bytes, at: 0), header.fourCC == .riff else { return nil }
    guard bytes.littleEndian32(at: 8) == FourCC.webp.rawValue else {
      throw FormatError(.otherFormat, value: OtherFormat.otherRIFF.rawValue, offset: 8)
    }
    guard 12...ChunkHeader.maximumSize ~= header.size else {
      throw FormatError(.invalidRIFFSize, chunk: .riff, offset: 4)
    }
    size = header.size
  }

  /// The end of the RIFF chunk, without the checks of `init`. Nil if the bytes do not begin with a RIFF header.
  public static func uncheckedEnd(_ bytes: Span<UInt8>) -> Int64? {
    guard let riff = ChunkHeader(bytes, at: 0), riff.fourCC == .riff, bytes.count >= byteCount,
      bytes.littleEndian32(at: ChunkHeader.byteCount) == FourCC.webp.rawValue
    else { return nil }
    return Int64(ChunkHeader.byteCount) &+ riff.size
  }
}

extension Span<UInt8> {
  /// The four bytes at `offset` as a number. Traps unless all are in bounds.
  public func littleEndian32(at offset: Int) -> UInt32 {
    UInt32(self[offset]) | UInt32(self[offset &+ 1]) << 8 | UInt32(self[offset &+ 2]) << 16
      | UInt32(self[offset &+ 3]) << 24
  }

  /// The three bytes at `offset` as a number. Traps unless all are in bounds.
  public func littleEndian24(at offset: Int) -> Int {
    Int(self[offset]) | Int(self[offset &+ 1]) << 8 | Int(self[offset &+ 2]) << 16
  }
}
