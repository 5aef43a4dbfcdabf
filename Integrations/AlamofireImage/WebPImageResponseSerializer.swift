import AlamofireImage
import Foundation
import PureWebP
import WebPPlatform

#if canImport(UIKit)
  import UIKit
#else
  import AppKit
#endif

/// Decodes WebP for AlamofireImage 4. Supports a maximum size, the orientation, and animations.
///
/// ```swift
/// ImageDownloader.default.useWebP()
/// ```
///
/// AlamofireImage has no previews. Other formats are decoded by AlamofireImage itself.
nonisolated final class WebPImageResponseSerializer: ImageResponseSerializer, @unchecked Sendable {
  private let options: WebP.DecodeOptions

  /// - Parameter maximumSide: The maximum width and height, in pixels. Nil decodes images in their own size.
  init(maximumSide: Int? = nil) {
    options = WebP.DecodeOptions(
      format: .bgraPremultiplied, size: maximumSide.map { .fit(width: $0, height: $0) })
    super.init()
  }

  /// - Returns: The image. For an animation, it contains all frames; the limits bound the sum of their pixels. On
  ///   macOS, it draws the frame for the time at which it is drawn.
  override func serializeImage(from data: Data) throws -> Image {
    guard WebP.isWebP(prefix: data) else { return try super.serializeImage(from: data) }
    #if canImport(UIKit)
      if try WebP.info(data).isAnimated {
        return try UIImage.animatedImage(webP: data, scale: imageScale, options: options)
      }
    #endif
    return try Image(webP: data, scale: imageScale, options: options)
  }
}

nonisolated extension ImageDownloader {
  /// Makes the downloader request and decode WebP.
  ///
  /// - Parameter maximumSide: The maximum width and height, in pixels. Nil decodes images in their own size.
  func useWebP(maximumSide: Int? = nil) {
    ImageResponseSerializer.addAcceptableImageContentTypes(["image/webp"])
    imageResponseSerializer = WebPImageResponseSerializer(maximumSide: maximumSide)
  }
}
