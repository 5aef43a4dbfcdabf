// Declarations of Kingfisher 8.11.
@_exported import UIKit

public typealias KFCrossPlatformImage = UIImage

public struct KingfisherParsedOptionsInfo: Sendable {
  public var scaleFactor: CGFloat = 1
  public var preloadAllAnimationData = false
  public var onlyLoadFirstFrame = false

  public init() {}
}

public enum ImageProcessItem: Sendable {
  case image(KFCrossPlatformImage)
  case data(Data)
}

public protocol ImageProcessor: Sendable {
  var identifier: String { get }
  func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
}

/// Here it decodes nothing, as the system's decoder does with WebP before iOS 14.
public struct DefaultImageProcessor: ImageProcessor {
  public static let `default` = DefaultImageProcessor()
  public let identifier = ""

  public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
    if case .image(let image) = item { image } else { nil }
  }
}

public protocol CacheSerializer: Sendable {
  func data(with image: KFCrossPlatformImage, original: Data?) -> Data?
  func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
  var originalDataUsed: Bool { get }
}

extension CacheSerializer {
  public var originalDataUsed: Bool { false }
}

public struct DefaultCacheSerializer: CacheSerializer {
  public static let `default` = DefaultCacheSerializer()

  public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? { original }
  public func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? { nil }
}

public enum KingfisherOptionsInfoItem: Sendable {
  case processor(any ImageProcessor)
  case cacheSerializer(any CacheSerializer)
}

public typealias KingfisherOptionsInfo = [KingfisherOptionsInfoItem]

public struct ImageCreatingOptions {
  public let scale: CGFloat
  public let preloadAll: Bool
  public let onlyFirstFrame: Bool

  public init(
    scale: CGFloat = 1, duration: TimeInterval = 0, preloadAll: Bool = false, onlyFirstFrame: Bool = false
  ) {
    self.scale = scale
    self.preloadAll = preloadAll
    self.onlyFirstFrame = onlyFirstFrame
  }
}

public protocol ImageFrameSource {
  var data: Data? { get }
  var frameCount: Int { get }
  func frame(at index: Int, maxSize: CGSize?) -> CGImage?
  func duration(at index: Int) -> TimeInterval
}

public struct KingfisherWrapper<Base> {}

extension KingfisherWrapper where Base: KFCrossPlatformImage {
  /// Here it loads all frames, as Kingfisher does with `preloadAll`.
  public static func animatedImage(
    source: any ImageFrameSource, options: ImageCreatingOptions, baseImage: KFCrossPlatformImage? = nil
  ) -> KFCrossPlatformImage? {
    let frames = (0..<source.frameCount).compactMap { source.frame(at: $0, maxSize: nil) }
    let images = frames.map { UIImage(cgImage: $0, scale: options.scale, orientation: .up) }
    let duration = (0..<source.frameCount).reduce(0) { $0 + source.duration(at: $1) }
    return UIImage.animatedImage(with: images, duration: duration)
  }
}
