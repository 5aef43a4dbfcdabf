// Declarations of Kingfisher 8.11.0: Image/ImageProcessor.swift, Cache/CacheSerializer.swift,
// General/KingfisherOptionsInfo.swift, Image/ImageDrawing.swift.
@_exported import PlatformNames

public typealias KFCrossPlatformImage = UIImage

public struct KingfisherParsedOptionsInfo: Sendable {
  public var processor: any ImageProcessor = DefaultImageProcessor.default
  public var cacheSerializer: any CacheSerializer = DefaultCacheSerializer.default
  public var scaleFactor: CGFloat = 1
  public var preloadAllAnimationData = false
  public var onlyLoadFirstFrame = false

  public init(_ info: KingfisherOptionsInfo?) {
    for item in info ?? [] {
      switch item {
      case .processor(let value): processor = value
      case .cacheSerializer(let value): cacheSerializer = value
      case .scaleFactor(let value): scaleFactor = value
      case .preloadAllAnimationData: preloadAllAnimationData = true
      case .onlyLoadFirstFrame: onlyLoadFirstFrame = true
      }
    }
  }

  var imageCreatingOptions: ImageCreatingOptions {
    ImageCreatingOptions(
      scale: scaleFactor, duration: 0, preloadAll: preloadAllAnimationData, onlyFirstFrame: onlyLoadFirstFrame)
  }
}

public enum KingfisherOptionsInfoItem: Sendable {
  case processor(any ImageProcessor)
  case cacheSerializer(any CacheSerializer)
  case scaleFactor(CGFloat)
  case preloadAllAnimationData
  case onlyLoadFirstFrame
}

public typealias KingfisherOptionsInfo = [KingfisherOptionsInfoItem]

public enum ImageProcessItem: Sendable {
  case image(KFCrossPlatformImage)
  case data(Data)
}

public protocol ImageProcessor: Sendable {
  var identifier: String { get }
  func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
}

/// Decodes no data here, as the system's decoder does with WebP before iOS 14.
public struct DefaultImageProcessor: ImageProcessor {
  public static let `default` = DefaultImageProcessor()
  public let identifier = ""

  /// If the scale differs, the result is another image, without the state that Kingfisher stores with an image.
  public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
    guard case .image(let image) = item else { return nil }
    guard options.scaleFactor != image.scale, let cgImage = image.cgImage else { return image }
    return UIImage(cgImage: cgImage, scale: options.scaleFactor, orientation: image.imageOrientation)
  }
}

public enum ContentMode: Sendable { case none, aspectFit, aspectFill }

/// Images without pixels stand for resized images here.
public struct ResizingImageProcessor: ImageProcessor {
  public let identifier: String
  private let size: CGSize

  public init(referenceSize: CGSize, mode: ContentMode = .none) {
    identifier = "com.onevcat.Kingfisher.ResizingImageProcessor(\(referenceSize), \(mode))"
    size = referenceSize
  }

  /// - Returns: An image in points of `options.scaleFactor`.
  public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
    guard case .image(let image) = item else { return nil }
    let scale = options.scaleFactor
    let points = CGSize(width: image.size.width * image.scale / scale, height: image.size.height * image.scale / scale)
    let factor = min(size.width / points.width, size.height / points.height)
    let pixels = CGImage(
      withoutPixels: Int((points.width * factor * scale).rounded()),
      height: Int((points.height * factor * scale).rounded()))
    return UIImage(cgImage: pixels, scale: scale, orientation: .up)
  }
}

public protocol CacheSerializer: Sendable {
  /// - Parameter original: Nil if the image is not from the network.
  func data(with image: KFCrossPlatformImage, original: Data?) -> Data?
  func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
  var originalDataUsed: Bool { get }
}

extension CacheSerializer {
  public var originalDataUsed: Bool { false }
}

/// Its data here is the text "PNG of one frame", and it decodes no data.
public struct DefaultCacheSerializer: CacheSerializer {
  public static let `default` = DefaultCacheSerializer()

  /// Encodes the image unless it is a GIF, with or without the original data.
  public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? { Data("PNG of one frame".utf8) }
  public func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? { nil }
}
