internal import WebPFormat

/// The type of the same name in `WebPFormat`.
typealias FormatFourCC = FourCC

extension WebP {
  /// The four characters that name a chunk (RFC 9649, section 2.3): `VP8L`, for example.
  ///
  /// ```swift
  /// for chunk in WebP.metadata(bytes).unknown where chunk.fourCC == "ALGO" { show(chunk.payload) }
  /// ```
  public struct FourCC: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The four bytes, read as a little-endian number.
    package let rawValue: UInt32

    /// Creates the name of a chunk.
    ///
    /// - Parameter rawValue: the four bytes, read as a little-endian number.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Creates the name of a chunk.
    ///
    /// - Parameter name: At most four ASCII characters. Spaces are added at the end: `"VP8"` is `VP8 `.
    /// - Precondition: The name is not longer than four bytes.
    public init(stringLiteral name: String) {
      precondition(name.utf8.count <= 4, "a FourCC has four characters")
      rawValue = (0..<4).reduce(0) { number, index in
        number | UInt32(name.utf8.dropFirst(index).first ?? 0x20) << (8 * UInt32(index))
      }
    }

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

// The FourCCs that the standard defines.
extension WebP.FourCC {
  /// The container: `RIFF`.
  package static let riff = Self(.riff)
  /// The type of the container: `WEBP`.
  package static let webp = Self(.webp)
  /// A lossy bitstream: `VP8 `.
  package static let vp8 = Self(.vp8)
  /// A lossless bitstream: `VP8L`.
  package static let vp8L = Self(.vp8L)
  /// The extended header: `VP8X`.
  package static let vp8X = Self(.vp8X)
  /// The alpha of a lossy image: `ALPH`.
  package static let alph = Self(.alph)
  /// The properties of an animation: `ANIM`.
  package static let anim = Self(.anim)
  /// A frame of an animation: `ANMF`.
  package static let anmf = Self(.anmf)
  /// An ICC profile: `ICCP`.
  package static let iccp = Self(.iccp)
  /// Exif: `EXIF`.
  package static let exif = Self(.exif)
  /// XMP: `XMP `.
  package static let xmp = Self(.xmp)

  init(_ fourCC: FormatFourCC) { self.init(rawValue: fourCC.rawValue) }
}
