import PureWebP

extension WebP {
  /// The result of writing a file.
  public struct WrittenFile: Hashable, Sendable {
    /// The width of the image or canvas, in pixels.
    public let width: Int
    /// The height of the image or canvas, in pixels.
    public let height: Int
    /// The reason why the ICC profile of the metadata is not in the file. Nil if it is, or if there is no profile.
    public let droppedProfile: DroppedProfile?
  }

  /// The reason why a file was written without the ICC profile of its metadata.
  public enum DroppedProfile: Hashable, Sendable, CustomStringConvertible {
    /// The file format cannot store a profile.
    case unsupported(FileFormat)
    /// The profile describes a color space other than the pixels' color space, such as `CMYK`.
    case colorSpace(String)
    /// The bytes are not an ICC profile.
    case invalid

    /// One line, such as `PPM cannot store an ICC profile`.
    public var description: String {
      switch self {
      case .unsupported(let format): "\(format.title) cannot store an ICC profile"
      case .colorSpace(let name): "the ICC profile describes \(name), not the colors of the pixels"
      case .invalid: "invalid ICC profile"
      }
    }
  }
}

extension WebP.DroppedProfile {
  /// Returns nil if there is no profile, or if it fits these pixels. The color space is at byte 16 (ICC.1, section
  /// 7.2.6).
  init?(_ profile: [UInt8]?, for type: WebP.PNGHeader.ColorType) {
    guard let profile else { return nil }
    guard profile.count >= 20 else {
      self = .invalid
      return
    }
    let name = String(decoding: profile[16..<20], as: UTF8.self)
    // PNG specification, third edition, section 11.3.2.3.
    let expected =
      switch type {
      case .gray, .grayAlpha: "GRAY"
      case .rgb, .palette, .rgba: "RGB "
      }
    guard name != expected else { return nil }
    self = .colorSpace(String(name.prefix { $0 != " " }))
  }
}
