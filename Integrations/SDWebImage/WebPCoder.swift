import Foundation
import PureWebP
import SDWebImage
import WebPPlatform

#if canImport(UIKit)
  import UIKit
#else
  import AppKit
#endif

/// Decodes WebP for SDWebImage 5. Supports previews while the data arrives, thumbnails, the orientation, and
/// animations.
///
/// ```swift
/// SDImageCodersManager.shared.addCoder(WebPCoder())
/// ```
///
/// SDWebImage creates further coders for previews and for views that play animations. It calls them on background
/// queues: all callers of a download share its coder, and finish it at the same time.
nonisolated final class WebPCoder: NSObject, SDProgressiveImageCoder, SDAnimatedImageCoder, @unchecked Sendable {
  typealias Options = [SDImageCoderOption: Any]
  #if canImport(UIKit)
    typealias Image = UIImage
  #else
    typealias Image = NSImage
  #endif

  private let options: Options?
  private let lock = NSLock()
  /// Nil until the size of the image is known, and after the download. Protected by `lock`.
  private var preview: WebP.StreamingDecoder?
  /// Protected by `lock`.
  private var previewByteCount = 0
  /// The complete file, which does not change any more. Nil during the download. Protected by `lock`.
  private var complete: CompleteFile?

  /// A complete file, and the player of its frames if they can be decoded.
  private struct CompleteFile {
    let data: Data
    let player: WebPFramePlayer<CGImage>?

    init(_ data: Data, _ options: Options?) {
      self.data = data
      player = try? WebPFramePlayer(WebP.Animation(data, options: options.decoding(of: data, WebP.info(data))))
    }
  }

  override init() {
    options = nil
  }

  // MARK: Images

  func canDecode(from data: Data?) -> Bool { data.map { WebP.isWebP(prefix: $0) } ?? false }

  func decodedImage(with data: Data?, options: Options?) -> Image? {
    guard let data, let info = try? WebP.info(data) else { return nil }
    let decoding = options.decoding(of: data, info)
    let isAnimated = info.frameCount > 1 && options?[.decodeFirstFrameOnly] as? Bool != true
    let image =
      try? isAnimated
      ? animatedImage(data, scale: options.scale, decoding)
      : Image(webP: WebP.decode(data, options: decoding), scale: options.scale, metadata: WebP.metadata(data))
    if isAnimated { image?.sd_imageLoopCount = UInt(info.loopCount) }
    return image?.storedAsPNG
  }

  /// On macOS, the image draws the frame for the time at which it is drawn.
  private func animatedImage(_ data: Data, scale: CGFloat, _ options: WebP.DecodeOptions) throws -> Image {
    #if canImport(UIKit)
      try UIImage.animatedImage(webP: data, scale: scale, options: options)
    #else
      try NSImage(webP: data, scale: scale, options: options)
    #endif
  }

  func canEncode(to format: SDImageFormat) -> Bool { false }

  func encodedData(with image: Image?, format: SDImageFormat, options: Options?) -> Data? { nil }

  // MARK: Progressive images

  func canIncrementalDecode(from data: Data?) -> Bool { canDecode(from: data) }

  init(incrementalWithOptions options: Options?) {
    self.options = options
  }

  /// The first call that finishes the download decides: later ones have the same data, and change nothing.
  ///
  /// - Parameter data: All data so far. Only new bytes are decoded for previews.
  func updateIncrementalData(_ data: Data?, finished: Bool) {
    guard let data else { return }
    lock.withLock {
      guard complete == nil else { return }
      guard !finished else {
        preview = nil
        complete = CompleteFile(data, options)
        return
      }
      if preview == nil, let info = try? WebP.info(data) {
        preview = WebP.StreamingDecoder(options: options.decoding(of: data, info))
      }
      guard preview != nil else { return }
      _ = try? preview?.append(data.dropFirst(previewByteCount))
      previewByteCount = data.count
    }
  }

  /// Returns the rows so far during the download, and the complete image after it. Animations have no previews.
  ///
  /// With progressive loading, SDWebImage takes the complete image from here. Therefore it equals the result of
  /// `decodedImage(with:options:)`, and is nil for a truncated file.
  func incrementalDecodedImage(options: Options?) -> Image? {
    let (file, image, metadata) = lock.withLock { (complete?.data, preview?.image, preview?.metadata) }
    if let file { return decodedImage(with: file, options: options) }
    guard let image, let metadata else { return nil }
    return try? Image(webP: image, scale: options.scale, metadata: metadata).storedAsPNG
  }

  // MARK: Animations

  init?(animatedImageData data: Data?, options: Options?) {
    self.options = options
    super.init()
    guard let data else { return nil }
    let complete = CompleteFile(data, options)
    guard complete.player != nil else { return nil }
    self.complete = complete
  }

  private var player: WebPFramePlayer<CGImage>? { lock.withLock { complete?.player } }

  var animatedImageData: Data? { lock.withLock { complete.flatMap { $0.player == nil ? nil : $0.data } } }
  var animatedImageFrameCount: UInt { UInt(player?.animation.frames.count ?? 0) }
  var animatedImageLoopCount: UInt { UInt(player?.animation.loopCount ?? 0) }

  func animatedImageFrame(at index: UInt) -> Image? {
    guard index < animatedImageFrameCount else { return nil }
    return player?.image(at: Int(index)).map { Image(cgImage: $0, scale: options.scale, orientation: .up).storedAsPNG }
  }

  func animatedImageDuration(at index: UInt) -> TimeInterval {
    guard index < animatedImageFrameCount else { return 0 }
    return TimeInterval(player?.animation.frames[Int(index)].displayMilliseconds ?? 0) / 1000
  }
}

nonisolated extension WebPCoder.Image {
  /// The image, marked as PNG. SDWebImage stores thumbnails and transformed images in the format of the image, and
  /// copies the mark to transformed images. No coder encodes WebP, so that they would be lost. Files from servers stay
  /// WebP.
  fileprivate var storedAsPNG: WebPCoder.Image {
    sd_imageFormat = .PNG
    return self
  }
}

nonisolated extension [SDImageCoderOption: Any]? {
  fileprivate var scale: CGFloat { Swift.max(1, self?[.decodeScaleFactor] as? CGFloat ?? 1) }

  /// Returns the decoding options with the size that the coder's options specify. A limit in bytes has priority over
  /// the size of a thumbnail.
  ///
  /// - Parameter data: The data so far. The orientation usually follows the pixels, so that it may still be unknown.
  fileprivate func decoding(of data: Data, _ info: WebP.ImageInfo) -> WebP.DecodeOptions {
    var decoding = WebP.DecodeOptions(format: .bgraPremultiplied)
    let (width, height) = (info.width, info.height)
    if let limit = self?[.decodeScaleDownLimitBytes] as? Int, limit > 0 {
      // All frames together have at most `limit` bytes.
      let ratio = Double(height) / Double(width)
      let side = (Double(limit / 4 / Swift.max(1, info.frameCount)) / ratio).squareRoot()
      decoding.size = .fit(width: Swift.max(1, Int(side)), height: Swift.max(1, Int(side * ratio)))
    } else if let size = self?[.decodeThumbnailPixelSize] as? CGSize, size.width >= 1, size.height >= 1 {
      // The size is for the upright image. An image has at most 2²⁴ pixels in one direction.
      let upright = (width: Int(Swift.min(size.width, 0x1p24)), height: Int(Swift.min(size.height, 0x1p24)))
      let isRotated = WebP.metadata(data).orientation?.swapsWidthAndHeight ?? false
      let box = isRotated ? (width: upright.height, height: upright.width) : upright
      if self?[.decodePreserveAspectRatio] as? Bool != false {
        decoding.size = .fit(width: box.width, height: box.height)
      } else if box.width < width || box.height < height {
        decoding.size = .exact(width: Swift.min(box.width, width), height: Swift.min(box.height, height))
      }
    }
    return decoding
  }
}
