import PureWebP

extension WebP {
  /// The result of writing a file.
  public struct WrittenFile: Hashable, Sendable {
    /// The width of the image or canvas, in pixels.
    public let width: Int
    /// The height of the image or canvas, in pixels.
    public let height: Int
    /// The parts of the image and of its metadata that are not in the file.
    public let losses: [Loss]

    init(width: Int, height: Int, losses: [Loss]) {
      self.width = width
      self.height = height
      self.losses = losses
    }

    /// A PNG, which stores everything except for some profiles.
    init(width: Int, height: Int, droppedProfile: DroppedProfile?) {
      self.init(width: width, height: height, losses: droppedProfile.map { [.profile($0)] } ?? [])
    }

    /// The reason why the ICC profile of the metadata is not in the file.
    package var droppedProfile: DroppedProfile? {
      for case .profile(let reason) in losses { return reason }
      return nil
    }
  }

  /// A part of an image or of its metadata that a file does not contain.
  public enum Loss: Hashable, Sendable, CustomStringConvertible {
    /// The alpha of pixels that are not opaque. `Image.flattened(on:)` blends them with a color.
    case alpha
    /// The frames of an animation after the first one.
    case frames
    /// The ICC profile.
    case profile(DroppedProfile)
    /// The orientation. `Image.oriented(_:)` applies it to the pixels.
    case orientation
    /// The Exif metadata. A TIFF does not store Exif that is not a TIFF structure.
    case exif
    /// The XMP metadata.
    case xmp

    /// A few words, such as `alpha`. For a profile, the reason.
    public var description: String {
      switch self {
      case .alpha: "alpha"
      case .frames: "frames after the first one"
      case .profile(let reason): reason.description
      case .orientation: "orientation"
      case .exif: "Exif"
      case .xmp: "XMP"
      }
    }
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

extension WebP.Image {
  /// The parts of the image and of the metadata that a file of this format does not contain.
  ///
  /// - Parameter stored: The result of `storable(in:isCancelled:)`.
  func losses(
    in file: WebP.FileFormat, _ metadata: WebP.Metadata, stored: Self, droppedProfile: WebP.DroppedProfile?
  ) -> [WebP.Loss] {
    var losses: [WebP.Loss] = []
    if file == .ppm, format.hasAlpha, !stored.isOpaque { losses.append(.alpha) }
    if let droppedProfile { losses.append(.profile(droppedProfile)) }
    if file == .tiff, metadata.exif != nil, metadata.exifBlock == nil { losses.append(.exif) }
    guard file != .png, file != .tiff else { return losses }
    if metadata.orientation ?? .up != .up { losses.append(.orientation) }
    if metadata.exif != nil { losses.append(.exif) }
    if metadata.xmp != nil { losses.append(.xmp) }
    return losses
  }

  /// Indicates whether all pixels are opaque. The format is R G B A in any order, or has no alpha.
  private var isOpaque: Bool {
    guard let alpha = format.alphaOffset else { return true }
    let pixels = pixels.span
    for index in Swift.stride(from: alpha, to: pixels.count, by: 4) where pixels[index] != 255 { return false }
    return true
  }
}
