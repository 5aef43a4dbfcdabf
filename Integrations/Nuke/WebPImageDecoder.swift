import Foundation
import Nuke
import PureWebP
import WebPPlatform

#if canImport(UIKit)
  import UIKit
#else
  import AppKit
#endif

/// Decodes WebP for Nuke 13. Supports previews while the data arrives, a maximum size, the orientation, and animations.
///
/// ```swift
/// WebPImageDecoder.register()
/// ```
///
/// The `ImageContainer` of an animation contains the first frame as its image, and the file as its data, from which a
/// view can play the animation.
nonisolated final class WebPImageDecoder: ImageDecoding, @unchecked Sendable {
  private let scale: CGFloat
  private let options: WebP.DecodeOptions
  private let makesPreviews: Bool
  private let lock = NSLock()
  /// Protected by `lock`.
  private var decoder: WebP.StreamingDecoder
  /// The number of bytes that the decoder has received. Protected by `lock`.
  private var byteCount = 0

  /// Makes Nuke decode WebP images with this decoder. If a request has thumbnail options that
  /// ``ImageRequest/setMaximumSide(_:)`` did not set, Nuke's own decoder makes the thumbnail.
  static func register(in registry: ImageDecoderRegistry = .shared) {
    registry.register { context in WebP.isWebP(prefix: context.data) ? WebPImageDecoder(context) : nil }
  }

  /// Returns nil if the request needs a thumbnail of a size that decoders cannot read.
  init?(_ context: ImageDecodingContext) {
    let request = context.request
    guard request.thumbnail == nil || request.maximumSide != nil else { return nil }
    scale = CGFloat(request.scale)
    options = WebP.DecodeOptions(
      format: .bgraPremultiplied, size: request.maximumSide.map { .fit(width: $0, height: $0) })
    makesPreviews = context.previewPolicy == .incremental
    decoder = WebP.StreamingDecoder(options: options)
  }

  func decode(_ data: Data) throws -> ImageContainer {
    let image = try PlatformImage(
      webP: WebP.decode(data, options: options), scale: scale, metadata: WebP.metadata(data))
    return ImageContainer(image: image, type: .webp, data: try WebP.info(data).isAnimated ? data : nil)
  }

  /// Returns an image with the rows so far, if there are new ones. The remaining rows are transparent.
  ///
  /// - Parameter data: All data so far.
  func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? {
    guard makesPreviews else { return nil }
    return lock.withLock {
      // Only new bytes are decoded. Animations and corrupt images have no previews.
      let next = data.dropFirst(byteCount)
      byteCount = data.count
      guard case .rows? = try? decoder.append(next),
        let image = decoder.image,
        let preview = try? PlatformImage(webP: image, scale: scale, metadata: decoder.metadata)
      else { return nil }
      return ImageContainer(image: preview, type: .webp, isPreview: true)
    }
  }
}

nonisolated extension ImageRequest {
  /// Requests an image of at most `side` pixels in each direction. WebP is scaled while it is decoded.
  ///
  /// The size is stored as thumbnail options, which are part of Nuke's cache keys. For WebP, it is also stored in the
  /// user info, because decoders cannot read the size of thumbnail options.
  mutating func setMaximumSide(_ side: Int) {
    thumbnail = ThumbnailOptions(maxPixelSize: .init(side))
    userInfo[.webPMaximumSide] = side
  }

  /// The maximum side if the thumbnail options still specify the same size.
  fileprivate var maximumSide: Int? {
    guard let side = userInfo[.webPMaximumSide] as? Int, side > 0,
      thumbnail == ThumbnailOptions(maxPixelSize: .init(side))
    else { return nil }
    return side
  }
}

nonisolated extension ImageRequest.UserInfoKey {
  fileprivate static var webPMaximumSide: Self { "webPMaximumSide" }
}
