/// A format other than WebP that the first bytes of a file identify. Error messages name it, because files of other
/// formats often have the extension `.webp`.
public enum OtherFormat: Int {
  case otherRIFF, jpeg, png, gif, avif, heif, mp4, jpegXL, bmp, tiff, pdf, svg, html, webm, gzip

  /// Identifies a format by the first bytes of a file. Nil if it is none of these.
  public init?(_ bytes: Span<UInt8>) {
    let first = bytes.bigEndian32(at: 0)
    let boxType = bytes.bigEndian32(at: 4)
    let tag = bytes.bigEndian32(at: bytes.textStart)
    switch first {
    case 0x5249_4646: self = .otherRIFF  // RIFF
    case 0xFFD8_FF00...0xFFD8_FFFF: self = .jpeg
    case 0x8950_4E47: self = .png
    case 0x4749_4638: self = .gif  // GIF8
    case 0xFF0A_0000...0xFF0A_FFFF: self = .jpegXL
    case _ where boxType == 0x4A58_4C20: self = .jpegXL  // "JXL "
    case _ where boxType == 0x6674_7970: self = Self(brand: bytes.bigEndian32(at: 8))  // ftyp
    case 0x424D_0000...0x424D_FFFF: self = .bmp  // BM
    case 0x4949_2A00, 0x4D4D_002A: self = .tiff
    case 0x2550_4446: self = .pdf  // %PDF
    case _ where [0x3C73_7667, 0x3C3F_786D].contains(tag): self = .svg  // <svg, <?xm
    case _ where [0x3C21_646F, 0x3C68_746D].contains(tag | 0x20_2020): self = .html  // <!do, <htm in either case
    case 0x1A45_DFA3: self = .webm
    case 0x1F8B_0000...0x1F8B_FFFF: self = .gzip
    default: return nil
    }
  }

  /// A file of the ISO base media format (ISO/IEC 14496-12), by its major brand.
  private init(brand: UInt32) {
    switch brand {
    case 0x6176_6966, 0x6176_6973: self = .avif  // avif, avis
    case 0x6865_6963, 0x6865_6978, 0x6865_7663, 0x6D69_6631, 0x6D73_6631: self = .heif  // heic heix hevc mif1 msf1
    default: self = .mp4
    }
  }

  /// The format as it appears in error messages.
  public var title: String {
    switch self {
    case .otherRIFF: "a RIFF file of another type"
    case .jpeg: "a JPEG image"
    case .png: "a PNG image"
    case .gif: "a GIF image"
    case .avif: "an AVIF image"
    case .heif: "a HEIF image"
    case .mp4: "an MP4 video"
    case .jpegXL: "a JPEG XL image"
    case .bmp: "a BMP image"
    case .tiff: "a TIFF image"
    case .pdf: "a PDF document"
    case .svg: "an SVG or XML document"
    case .html: "an HTML page"
    case .webm: "a WebM video"
    case .gzip: "gzip data"
    }
  }
}

extension OtherFormat {
  /// Returns whether the bytes can begin a WebP file, or a bare VP8 or VP8L bitstream.
  public static func mayBeWebP(_ bytes: Span<UInt8>) -> Bool {
    if bytes.mayBegin(with: .riff, at: 0) { return bytes.mayBegin(with: .webp, at: 8) }
    // Bare chunks. A bare VP8X chunk is rejected later, with its own error.
    let isChunk = [FourCC.vp8, .vp8L, .alph, .vp8X].contains { bytes.mayBegin(with: $0, at: 0) }
    return isChunk || LosslessHeader.mayBegin(bytes) || FrameTag.mayBegin(bytes)
  }

  /// The error for bytes that are not WebP.
  public static func error(for bytes: Span<UInt8>) -> FormatError {
    guard let format = OtherFormat(bytes) else { return FormatError(.unknownFormat, offset: 0) }
    return FormatError(.otherFormat, value: format.rawValue, offset: 0)
  }
}

extension Span<UInt8> {
  /// The four bytes at `offset`. Bytes past the end are 0.
  fileprivate func bigEndian32(at offset: Int) -> UInt32 {
    (offset..<offset + 4).reduce(0) { $0 << 8 | UInt32($1 < count ? self[$1] : 0) }
  }

  /// The offset of the first character after a byte order mark of UTF-8 and white space, with which web servers may
  /// begin a page.
  fileprivate var textStart: Int {
    var start = bigEndian32(at: 0) >> 8 == 0xEF_BBBF ? 3 : 0
    while start < count, [0x09, 0x0A, 0x0C, 0x0D, 0x20].contains(self[start]) { start += 1 }
    return start
  }

  /// Returns whether the available bytes at `offset` equal the bytes of `fourCC`.
  fileprivate func mayBegin(with fourCC: FourCC, at offset: Int) -> Bool {
    (0..<4).allSatisfy {
      offset + $0 >= count || self[offset + $0] == UInt8(truncatingIfNeeded: fourCC.rawValue >> UInt32(8 * $0))
    }
  }
}
