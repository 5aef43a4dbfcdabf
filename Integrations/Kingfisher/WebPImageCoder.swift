import Foundation
import Kingfisher
import PureWebP
import WebPPlatform

#if canImport(UIKit)
  import UIKit
#else
  import AppKit
#endif

/// Decodes WebP for Kingfisher 8, from the network and from the disk cache. Supports a maximum size, the orientation,
/// and animations.
///
/// ```swift
/// imageView.kf.setImage(with: url, options: WebPImageCoder.options())
/// ```
///
/// Kingfisher's previews are only for progressive JPEG. Other formats are decoded by Kingfisher itself.
nonisolated struct WebPImageCoder: ImageProcessor, CacheSerializer {
  /// The maximum width and height, in pixels. Nil decodes images in their own size.
  var maximumSide: Int?

  /// The options for a request. Without the serializer, Kingfisher would read its disk cache with the system's decoder.
  static func options(maximumSide: Int? = nil) -> KingfisherOptionsInfo {
    let coder = WebPImageCoder(maximumSide: maximumSide)
    return [.processor(coder), .cacheSerializer(coder)]
  }

  var identifier: String { "WebPImageCoder(\(maximumSide.map { "\($0)" } ?? ""))" }

  /// - Parameter item: The file, or an image that Kingfisher found in a cache. Such an image of an animation has the
  ///   file as its data.
  func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
    switch item {
    case .data(let data) where WebP.isWebP(prefix: data): return try? decode(data, options)
    case .data: return DefaultImageProcessor.default.process(item: item, options: options)
    case .image(let image):
      if needsDecoding(image, options), let file = image.webPFile { return try? decode(file, options) }
      guard let maximumSide, image.exceeds(maximumSide) else {
        return DefaultImageProcessor.default.process(item: item, options: options)
      }
      let side = CGFloat(maximumSide) / options.pixelsPerPoint
      return ResizingImageProcessor(referenceSize: CGSize(width: side, height: side), mode: .aspectFit)
        .process(item: item, options: options)
    }
  }

  /// Returns the file from the network, which the disk cache stores unchanged.
  var originalDataUsed: Bool { true }

  func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
    if let original, WebP.isWebP(prefix: original) { return original }
    return image.webPFile ?? DefaultCacheSerializer.default.data(with: image, original: original)
  }

  func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
    guard WebP.isWebP(prefix: data) else { return DefaultCacheSerializer.default.image(with: data, options: options) }
    return try? decode(data, options)
  }

  /// Indicates whether an image must be decoded again, because it was decoded with other options.
  private func needsDecoding(_ image: KFCrossPlatformImage, _ options: KingfisherParsedOptionsInfo) -> Bool {
    image.pixelsPerPoint != options.pixelsPerPoint || maximumSide.map { image.exceeds($0) } ?? false
  }

  private func decode(_ data: Data, _ options: KingfisherParsedOptionsInfo) throws -> KFCrossPlatformImage? {
    let decoding = WebP.DecodeOptions(
      format: .bgraPremultiplied, size: maximumSide.map { .fit(width: $0, height: $0) })
    guard try WebP.info(data).frameCount > 1 else {
      return try KFCrossPlatformImage(
        webP: WebP.decode(data, options: decoding), scale: options.pixelsPerPoint, metadata: WebP.metadata(data))
    }
    // Kingfisher stores these options with the image. If a later request has others, it processes the data again.
    return KingfisherWrapper<KFCrossPlatformImage>.animatedImage(
      source: try WebPFrameSource(data, options: decoding),
      options: ImageCreatingOptions(
        scale: options.scaleFactor, preloadAll: options.preloadAllAnimationData,
        onlyFirstFrame: options.onlyLoadFirstFrame))
  }
}

nonisolated extension KFCrossPlatformImage {
  /// The file of an animation. Kingfisher stores the data of all animated images under this name.
  fileprivate var webPFile: Data? {
    kf.gifRepresentation().flatMap { WebP.isWebP(prefix: $0) ? $0 : nil }
  }

  fileprivate func exceeds(_ maximumSide: Int) -> Bool {
    max(size.width, size.height) * pixelsPerPoint > CGFloat(maximumSide)
  }
}

// On macOS, Kingfisher ignores scales: images have as many points as pixels.
nonisolated extension KFCrossPlatformImage {
  fileprivate var pixelsPerPoint: CGFloat {
    #if canImport(UIKit)
      scale
    #else
      1
    #endif
  }
}

nonisolated extension KingfisherParsedOptionsInfo {
  fileprivate var pixelsPerPoint: CGFloat {
    #if canImport(UIKit)
      scaleFactor
    #else
      1
    #endif
  }
}

/// The oriented frames of an animation, for Kingfisher's `AnimatedImageView`.
nonisolated struct WebPFrameSource: ImageFrameSource {
  let data: Data?
  private let player: WebPFramePlayer<CGImage>

  init(_ data: Data, options: WebP.DecodeOptions) throws {
    self.data = data
    player = WebPFramePlayer(try WebP.Animation(data, options: options))
  }

  private init(copying other: Self) {
    data = other.data
    player = other.player.copy()
  }

  /// Returns a source for another view, so that views at different times do not draw each other's frames again.
  func copy() -> Self { Self(copying: self) }

  var frameCount: Int { player.animation.frames.count }

  /// - Parameter maxSize: Has no effect: all frames have the size of the decoding options.
  func frame(at index: Int, maxSize: CGSize?) -> CGImage? {
    player.animation.frames.indices.contains(index) ? player.image(at: index) : nil
  }

  func duration(at index: Int) -> TimeInterval {
    guard player.animation.frames.indices.contains(index) else { return 0 }
    return TimeInterval(player.animation.frames[index].displayMilliseconds) / 1000
  }
}
