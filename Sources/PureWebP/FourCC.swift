internal import WebPFormat

/// The type of the same name in `WebPFormat`.
typealias FormatFourCC = FourCC

extension WebP {
  /// The four characters that name a chunk (RFC 9649, section 2.3).
  public struct FourCC: Hashable, Sendable, CustomStringConvertible {
    /// The four bytes, read as a little-endian number.
    public let rawValue: UInt32

    /// Creates the name of a chunk.
    ///
    /// - Parameter rawValue: the four bytes, read as a little-endian number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The four characters. A byte that is not printable ASCII is shown as `?`.
    public var description: String {
      var text = ""
      for shift in stride(from: 0 as UInt32, through: 24, by: 8) {
        let byte = UInt8(truncatingIfNeeded: rawValue >> shift)
        text.append(0x20..<0x7F ~= byte ? Character(UnicodeScalar(byte)) : "?")
      }
      return text
    }
  }
}

/// The FourCCs that the standard defines.
extension WebP.FourCC {
  /// The container: `RIFF`.
  public static let riff = Self(.riff)
  /// The type of the container: `WEBP`.
  public static let webp = Self(.webp)
  /// A lossy bitstream: `VP8 `.
  public static let vp8 = Self(.vp8)
  /// A lossless bitstream: `VP8L`.
  public static let vp8L = Self(.vp8L)
  /// The extended header: `VP8X`.
  public static let vp8X = Self(.vp8X)
  /// The alpha of a lossy image: `ALPH`.
  public static let alph = Self(.alph)
  /// The properties of an animation: `ANIM`.
  public static let anim = Self(.anim)
  /// A frame of an animation: `ANMF`.
  public static let anmf = Self(.anmf)
  /// An ICC profile: `ICCP`.
  public static let iccp = Self(.iccp)
  /// Exif: `EXIF`.
  public static let exif = Self(.exif)
  /// XMP: `XMP `.
  public static let xmp = Self(.xmp)

  init(_ fourCC: FormatFourCC) { self.init(rawValue: fourCC.rawValue) }
}
