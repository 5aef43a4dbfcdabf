// An ICC profile begins with its header and the table of its tags (ICC.1:2022, sections 7.2 and 7.3). All numbers are
// big-endian.
//
//   byte 0   size of the profile      12   device class           36   acsp, the signature    128   number of tags
//        8   version, 4 bytes         16   color space            64   rendering intent       132   for each tag:
//                                     20   connection space                                         name, offset, size

import PureWebP

extension WebP {
  /// The reason why a file was written without the ICC profile of its metadata.
  @nonexhaustive
  public enum DroppedProfile: Hashable, Sendable, CustomStringConvertible {
    /// The file format cannot store a profile.
    case unsupported(FileFormat)
    /// The profile describes a color space other than the pixels' color space, such as `CMYK`.
    case colorSpace(String)
    /// The bytes are not an ICC profile that libpng accepts, as this text explains. A TIFF stores them.
    case invalid(String)

    /// One line, such as `PPM cannot store an ICC profile`.
    public var description: String {
      switch self {
      case .unsupported(let format): "\(format.title) cannot store an ICC profile"
      case .colorSpace(let name): "the ICC profile describes \(name), not the colors of the pixels"
      case .invalid(let reason): "invalid ICC profile: \(reason)"
      }
    }
  }
}

extension WebP.DroppedProfile {
  /// The size up to which libpng reads a profile, unless a program sets another limit (`PNG_USER_CHUNK_MALLOC_MAX`).
  private static let maximumSize = 8_000_000

  /// Returns nil if there is no profile, or if a PNG with pixels of this type can store it. libpng's checks are
  /// applied, because programs that use it ignore other profiles.
  init?(_ profile: [UInt8]?, for type: WebP.PNGHeader.ColorType) {
    guard let profile else { return nil }
    guard let reason = Self.invalidity(of: profile) else {
      // PNG specification, third edition, section 11.3.2.3.
      let expected: WebP.FourCC =
        switch type {
        case .gray, .grayAlpha: "GRAY"
        case .rgb, .palette, .rgba: "RGB "
        }
      let space = profile.fourCC(at: 16)
      guard space != expected else { return nil }
      self = .colorSpace("\(space)".trimmed)
      return
    }
    self = .invalid(reason)
  }

  /// Returns nil if there is no profile, or if a TIFF with these pixels can store it. A TIFF can store bytes that are
  /// no profile.
  init?(inTIFF profile: [UInt8]?, for type: WebP.PNGHeader.ColorType) {
    guard case .colorSpace(let name)? = Self(profile, for: type) else { return nil }
    self = .colorSpace(name)
  }

  /// The reason why the bytes are not a profile for the pixels of an image. Nil if there is none.
  private static func invalidity(of profile: [UInt8]) -> String? {
    let size = profile.count
    guard size >= 132 else { return "\(size) bytes are shorter than a header" }
    guard profile.fourCC(at: 36) == "acsp" else { return "no signature" }
    guard size <= maximumSize else { return "\(size) bytes exceed the limit of libpng" }
    guard profile.number(at: 0) == size else { return "the size field is \(profile.number(at: 0)), not \(size)" }
    guard profile[8] <= 3 || size % 4 == 0 else { return "the size \(size) is not a multiple of 4" }
    let tags = profile.number(at: 128)
    guard tags <= (size - 132) / 12 else { return "the table of \(tags) tags exceeds the profile" }
    guard profile.number(at: 64) < 0xFFFF else { return "unknown rendering intent" }
    switch profile.fourCC(at: 12) {
    case "abst": return "the class is abstract"
    case "link": return "the class is device link"
    default: break
    }
    let connection = profile.fourCC(at: 20)
    guard connection == "XYZ " || connection == "Lab " else { return "the connection space is \(connection)" }
    for tag in 0..<tags {
      let (start, count) = (profile.number(at: 136 + 12 * tag), profile.number(at: 140 + 12 * tag))
      guard start <= size, count <= size - start else {
        return "the tag \(profile.fourCC(at: 132 + 12 * tag)) exceeds the profile"
      }
    }
    return nil
  }
}

extension [UInt8] {
  fileprivate func number(at offset: Int) -> Int {
    Int(self[offset..<offset + 4].reduce(0 as UInt32) { $0 << 8 | UInt32($1) })
  }

  fileprivate func fourCC(at offset: Int) -> WebP.FourCC {
    WebP.FourCC(rawValue: self[offset..<offset + 4].reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) })
  }
}

extension String {
  /// The text without spaces at its end, or the text itself if it has nothing else.
  fileprivate var trimmed: String {
    var text = self
    while text.utf8.last == UInt8(ascii: " ") { text.removeLast() }
    return text.isEmpty ? self : text
  }
}
