import PureWebP

extension WebP {
  /// The result of writing a file.
  public struct WrittenFile: Hashable, Sendable {
    /// The size of the image or canvas.
    public let size: Size
    /// The parts of the image and of its metadata that are not in the file.
    public let losses: [Loss]

    init(size: Size, losses: [Loss]) {
      self.size = size
      self.losses = losses
    }

    /// A PNG, which stores everything except for some profiles, and chunks that the format does not define.
    ///
    /// - Parameter losses: other losses.
    init(size: Size, _ metadata: Metadata, droppedProfile: DroppedProfile?, after losses: [Loss] = []) {
      let profile: [Loss] = droppedProfile.map { [.profile($0)] } ?? []
      self.init(size: size, losses: losses + profile + metadata.lossesOfChunks)
    }

    /// The reason why the ICC profile of the metadata is not in the file.
    package var droppedProfile: DroppedProfile? {
      for case .profile(let reason) in losses { return reason }
      return nil
    }
  }

  /// An encoded file.
  public struct EncodedFile: Hashable, Sendable {
    /// The bytes of the file.
    public let bytes: [UInt8]
    /// The parts of the image and of its metadata that are not in the file.
    public let losses: [Loss]
  }

  /// A part of an image or of its metadata that a file does not contain.
  @nonexhaustive
  public enum Loss: Hashable, Sendable, CustomStringConvertible {
    /// The alpha of pixels that are not opaque. `Image.flattened(on:)` blends them with a color.
    case alpha
    /// The frames of an animation after the first one.
    case frames
    /// The frames after an error in the animation, which was opened with `Animation(recovering:)`. The file has the
    /// frames before it.
    case framesAfterError(DecodeError, frames: Int)
    /// The ICC profile.
    case profile(DroppedProfile)
    /// The orientation. `Image.oriented(_:)` applies it to the pixels.
    case orientation
    /// The Exif metadata. A TIFF does not store Exif that is not a TIFF structure.
    case exif
    /// The XMP metadata.
    case xmp
    /// The chunks with this name, which WebP does not define. An example is `C2PA`.
    case chunk(FourCC)

    /// A few words, such as `alpha`. For a profile, the reason.
    public var description: String {
      switch self {
      case .alpha: "alpha"
      case .frames: "frames after the first one"
      case .framesAfterError(let error, let frames): "frames after the first \(frames) (\(error))"
      case .profile(let reason): reason.description
      case .orientation: "orientation"
      case .exif: "Exif"
      case .xmp: "XMP"
      case .chunk(let name): "chunk \(name)"
      }
    }
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
    if !file.contents.alpha, format.hasAlpha, !stored.isOpaque { losses.append(.alpha) }
    if let droppedProfile { losses.append(.profile(droppedProfile)) }
    if file == .tiff, metadata.exif != nil, metadata.exifBlock == nil { losses.append(.exif) }
    if !file.contents.metadata {
      if metadata.orientation ?? .up != .up { losses.append(.orientation) }
      if metadata.exif != nil { losses.append(.exif) }
      if metadata.xmp != nil { losses.append(.xmp) }
    }
    return losses + metadata.lossesOfChunks
  }

  /// Indicates whether all pixels are opaque. The format is R G B A in any order, or has no alpha.
  private var isOpaque: Bool {
    guard let alpha = format.alphaOffset else { return true }
    let pixels = pixels.span
    for index in Swift.stride(from: alpha, to: pixels.count, by: 4) where pixels[index] != 255 { return false }
    return true
  }
}

extension WebP.Metadata {
  /// The chunks that WebP does not define, each name once. No other format can store them.
  fileprivate var lossesOfChunks: [WebP.Loss] {
    var losses: [WebP.Loss] = []
    for chunk in unknown where !losses.contains(.chunk(chunk.fourCC)) { losses.append(.chunk(chunk.fourCC)) }
    return losses
  }
}
