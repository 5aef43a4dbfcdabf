// Declarations of Kingfisher 8.11.0: Image/GIFAnimatedImage.swift, Image/Image.swift, General/Kingfisher.swift,
// Views/AnimatedImageView.swift.
import PlatformNames

public struct ImageCreatingOptions: Equatable {
  public var scale: CGFloat
  public var duration: TimeInterval
  public var preloadAll: Bool
  public var onlyFirstFrame: Bool

  public init(
    scale: CGFloat = 1, duration: TimeInterval = 0, preloadAll: Bool = false, onlyFirstFrame: Bool = false
  ) {
    self.scale = scale
    self.duration = duration
    self.preloadAll = preloadAll
    self.onlyFirstFrame = onlyFirstFrame
  }
}

public protocol ImageFrameSource {
  var data: Data? { get }
  var frameCount: Int { get }
  /// Nil if the index is invalid.
  func frame(at index: Int, maxSize: CGSize?) -> CGImage?
  /// 0 if the index is invalid.
  func duration(at index: Int) -> TimeInterval
  func copy() -> Self
}

extension ImageFrameSource {
  public func copy() -> Self { self }
}

public struct KingfisherWrapper<Base>: @unchecked Sendable {
  public let base: Base
}

public protocol KingfisherCompatible: AnyObject {}

extension KingfisherCompatible {
  public var kf: KingfisherWrapper<Self> { KingfisherWrapper(base: self) }
}

extension UIImage: KingfisherCompatible {}

/// The state that Kingfisher stores with an image, as an associated object.
struct ImageState {
  var frameCount: Int?
  var data: Data?
  var source: (any ImageFrameSource)?
  var options: ImageCreatingOptions?

  private static let states = States()

  static subscript(image: UIImage) -> ImageState {
    get { states.lock.withLock { states.values[ObjectIdentifier(image)]?.state } ?? ImageState() }
    set { states.lock.withLock { states.values[ObjectIdentifier(image)] = (image, newValue) } }
  }
}

private final class States: @unchecked Sendable {
  let lock = NSLock()
  /// Retains the images, so that no other image has the same identifier.
  var values: [ObjectIdentifier: (image: UIImage, state: ImageState)] = [:]
}

extension KingfisherWrapper where Base: KFCrossPlatformImage {
  public var imageFrameCount: Int? { ImageState[base].frameCount }
  public var frameSource: (any ImageFrameSource)? { ImageState[base].source }
  /// The data of an animated image of any format.
  public func gifRepresentation() -> Data? { ImageState[base].data }

  public static func animatedImage(
    source: any ImageFrameSource, options: ImageCreatingOptions, baseImage: KFCrossPlatformImage? = nil
  ) -> KFCrossPlatformImage? {
    var image: UIImage?
    var state = ImageState(frameCount: source.frameCount, data: source.data, options: options)
    if options.preloadAll || options.onlyFirstFrame {
      var images: [UIImage] = []
      var duration = 0.0
      for index in 0..<source.frameCount {
        guard let frame = source.frame(at: index, maxSize: nil) else { return nil }
        images.append(UIImage(cgImage: frame, scale: options.scale, orientation: .up))
        duration += source.duration(at: index)
        if options.onlyFirstFrame { break }
      }
      image = options.onlyFirstFrame ? images.first : .animatedImage(with: images, duration: duration)
    } else {
      guard let first = baseImage?.cgImage ?? source.frame(at: 0, maxSize: nil) else { return nil }
      image = UIImage(cgImage: first, scale: options.scale, orientation: .up)
      state.source = source
    }
    if let image { ImageState[image] = state }
    return image
  }
}

/// The part of `AnimatedImageView` that requests frames: it copies the source.
public struct Animator {
  public let frameSource: any ImageFrameSource

  public init?(_ image: KFCrossPlatformImage) {
    guard let source = image.kf.frameSource else { return nil }
    frameSource = source.copy()
  }
}
