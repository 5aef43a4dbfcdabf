import Foundation
import Nuke
import PureWebP
import UIKit
import WebPPlatform

/// Decodes WebP for Nuke 13. Supports previews while the data arrives, a maximum size, the orientation, and animations.
///
/// ```swift
/// WebPImageDecoder.register()
/// ```
///
/// The `ImageContainer` of an animation contains the first frame as its image, and the file as its data, from which a
/// view can play the animation.
final class WebPImageDecoder: ImageDecoding, @unchecked Sendable {
  private let options: WebP.DecodeOptions
  private let lock = NSLock()
  private var decoder: WebP.StreamingDecoder
  /// The number of bytes that the decoder has received.
  private var byteCount = 0

  /// Makes Nuke decode all WebP images with this decoder.
  static func register(in registry: ImageDecoderRegistry = .shared) {
    registry.register { context in
      guard WebP.isWebP(prefix: context.data) else { return nil }
      return WebPImageDecoder(maximumSide: context.request.userInfo[.webPMaximumSide] as? Int)
    }
  }

  /// - Parameter maximumSide: The maximum width and height, in pixels. Nil decodes the image in its own size.
  init(maximumSide: Int? = nil) {
    options = WebP.DecodeOptions(
      format: .bgraPremultiplied, size: maximumSide.map { .fit(width: $0, height: $0) })
    decoder = WebP.StreamingDecoder(options: options)
  }

  func decode(_ data: Data) throws -> ImageContainer {
    let isAnimated = try WebP.info(data).isAnimated
    return ImageContainer(
      image: try UIImage(webP: data, options: options), type: .webp, data: isAnimated ? data : nil)
  }

  /// Returns an image with the rows so far, if there are new ones. The remaining rows are transparent.
  ///
  /// - Parameter data: All data so far.
  func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? {
    lock.withLock {
      // Only new bytes are decoded. Animations and corrupt images have no previews.
      let next = data.dropFirst(byteCount)
      byteCount = data.count
      guard case .rows? = try? decoder.append(next),
        let image = decoder.image?.cgImage(profile: decoder.metadata.icc)
      else { return nil }
      let orientation = UIImage.Orientation(decoder.metadata.orientation ?? .up)
      let preview = UIImage(cgImage: image, scale: 1, orientation: orientation)
      return ImageContainer(image: preview, type: .webp, isPreview: true)
    }
  }
}

extension ImageRequest.UserInfoKey {
  /// The maximum width and height of a WebP, in pixels, as an `Int`: Nuke does not pass thumbnail options to decoders.
  static let webPMaximumSide: Self = "webPMaximumSide"
}
