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
  public static let riff = Self(rawValue: 0x4646_4952)
  /// The type of the container: `WEBP`.
  public static let webp = Self(rawValue: 0x5042_4557)
  /// A lossy bitstream: `VP8 `.
  public static let vp8 = Self(rawValue: 0x2038_5056)
  /// A lossless bitstream: `VP8L`.
  public static let vp8L = Self(rawValue: 0x4C38_5056)
  /// The extended header: `VP8X`.
  public static let vp8X = Self(rawValue: 0x5838_5056)
  /// The alpha of a lossy image: `ALPH`.
  public static let alph = Self(rawValue: 0x4850_4C41)
  /// The properties of an animation: `ANIM`.
  public static let anim = Self(rawValue: 0x4D49_4E41)
  /// A frame of an animation: `ANMF`.
  public static let anmf = Self(rawValue: 0x464D_4E41)
  /// An ICC profile: `ICCP`.
  public static let iccp = Self(rawValue: 0x5043_4349)
  /// Exif: `EXIF`.
  public static let exif = Self(rawValue: 0x4649_5845)
  /// XMP: `XMP `.
  public static let xmp = Self(rawValue: 0x2050_4D58)

  /// Indicates whether the standard defines a chunk with this FourCC.
  var isKnown: Bool {
    switch self {
    case .vp8, .vp8L, .vp8X, .alph, .anim, .anmf, .iccp, .exif, .xmp: true
    default: false
    }
  }
}
