import Foundation
import Kingfisher
import PureWebP
import UIKit
import WebPPlatform

/// Decodes WebP for Kingfisher 8, from the network and from the disk cache. Supports a maximum size, the orientation,
/// and animations.
///
/// ```swift
/// imageView.kf.setImage(with: url, options: WebPImageCoder.options())
/// ```
///
/// Kingfisher's previews are only for progressive JPEG. Other formats are decoded by Kingfisher itself.
struct WebPImageCoder: ImageProcessor, CacheSerializer {
  /// The maximum width and height, in pixels. Nil decodes images in their own size.
  var maximumSide: Int?

  /// The options for a request. Without the serializer, Kingfisher would read its disk cache with the system's decoder.
  static func options(maximumSide: Int? = nil) -> KingfisherOptionsInfo {
    let coder = WebPImageCoder(maximumSide: maximumSide)
    return [.processor(coder), .cacheSerializer(coder)]
  }

  var identifier: String { "WebPImageCoder(\(maximumSide.map { "\($0)" } ?? ""))" }

  func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
    guard case .data(let data) = item, WebP.isWebP(prefix: data) else {
      return DefaultImageProcessor.default.process(item: item, options: options)
    }
    return try? decode(data, options)
  }

  /// Returns the file from the network, which the disk cache stores unchanged.
  var originalDataUsed: Bool { true }

  func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
    if let original, WebP.isWebP(prefix: original) { return original }
    return DefaultCacheSerializer.default.data(with: image, original: original)
  }

  func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
    guard WebP.isWebP(prefix: data) else { return DefaultCacheSerializer.default.image(with: data, options: options) }
    return try? decode(data, options)
  }

  private func decode(_ data: Data, _ options: KingfisherParsedOptionsInfo) throws -> KFCrossPlatformImage? {
    let decoding = WebP.DecodeOptions(
      format: .bgraPremultiplied, size: maximumSide.map { .fit(width: $0, height: $0) })
    guard try WebP.info(data).isAnimated, !options.onlyLoadFirstFrame else {
      return try UIImage(webP: data, scale: options.scaleFactor, options: decoding)
    }
    return KingfisherWrapper<KFCrossPlatformImage>.animatedImage(
      source: try WebPFrameSource(data, options: decoding),
      options: ImageCreatingOptions(scale: options.scaleFactor, preloadAll: options.preloadAllAnimationData))
  }
}

/// The oriented frames of an animation, for Kingfisher's `AnimatedImageView`.
struct WebPFrameSource: ImageFrameSource {
  let data: Data?
  private let player: WebPFramePlayer<CGImage>

  init(_ data: Data, options: WebP.DecodeOptions) throws {
    self.data = data
    player = WebPFramePlayer(try WebP.Animation(data, options: options))
  }

  var frameCount: Int { player.animation.frameCount }

  /// - Parameter maxSize: Has no effect: all frames have the size of the decoding options.
  func frame(at index: Int, maxSize: CGSize?) -> CGImage? { player.image(at: index) }

  func duration(at index: Int) -> TimeInterval {
    TimeInterval(player.animation.frames[index].displayDuration) / 1000
  }
}
