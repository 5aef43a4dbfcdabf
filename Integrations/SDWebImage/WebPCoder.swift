import Foundation
import PureWebP
import SDWebImage
import UIKit
import WebPPlatform

/// Decodes WebP for SDWebImage 5. Supports previews while the data arrives, thumbnails, the orientation, and
/// animations.
///
/// ```swift
/// SDImageCodersManager.shared.addCoder(WebPCoder())
/// ```
///
/// SDWebImage creates further coders for previews and for views that play animations.
final class WebPCoder: NSObject, SDProgressiveImageCoder, SDAnimatedImageCoder {
  typealias Options = [SDImageCoderOption: Any]

  private let scale: CGFloat
  private var preview = WebP.StreamingDecoder()
  private var previewByteCount = 0
  private let player: WebPFramePlayer<CGImage>?
  let animatedImageData: Data?

  override init() {
    (scale, player, animatedImageData) = (1, nil, nil)
  }

  // MARK: Images

  func canDecode(from data: Data?) -> Bool { data.map { WebP.isWebP(prefix: $0) } ?? false }

  func decodedImage(with data: Data?, options: Options?) -> UIImage? {
    guard let data, let info = try? WebP.info(data) else { return nil }
    let scale = options?.scale ?? 1
    guard info.isAnimated, options?[.decodeFirstFrameOnly] as? Bool != true else {
      return try? UIImage(webP: data, scale: scale, options: options.decoding(of: data))
    }
    return try? UIImage.animatedImage(webP: data, scale: scale, options: options.decoding(of: data))
  }

  func canEncode(to format: SDImageFormat) -> Bool { false }

  func encodedData(with image: UIImage?, format: SDImageFormat, options: Options?) -> Data? { nil }

  // MARK: Previews

  func canIncrementalDecode(from data: Data?) -> Bool { canDecode(from: data) }

  init(incrementalWithOptions options: Options?) {
    (scale, player, animatedImageData) = (options?.scale ?? 1, nil, nil)
    preview = WebP.StreamingDecoder(options: options.decoding(of: nil))
  }

  /// - Parameter data: All data so far. Only new bytes are decoded.
  func updateIncrementalData(_ data: Data?, finished: Bool) {
    guard let data else { return }
    _ = try? preview.append(data.dropFirst(previewByteCount))
    previewByteCount = data.count
  }

  func incrementalDecodedImage(with options: Options?) -> UIImage? {
    guard let image = preview.image?.cgImage(profile: preview.metadata.icc) else { return nil }
    return UIImage(cgImage: image, scale: scale, orientation: .init(preview.metadata.orientation ?? .up))
  }

  // MARK: Animations

  init?(animatedImageData data: Data?, options: Options?) {
    guard let data, let animation = try? WebP.Animation(data, options: options.decoding(of: data)) else { return nil }
    (scale, player, animatedImageData) = (options?.scale ?? 1, WebPFramePlayer(animation), data)
  }

  var animatedImageFrameCount: UInt { UInt(player?.animation.frameCount ?? 0) }
  var animatedImageLoopCount: UInt { UInt(player?.animation.loopCount ?? 0) }

  func animatedImageFrame(at index: UInt) -> UIImage? {
    player?.image(at: Int(index)).map { UIImage(cgImage: $0, scale: scale, orientation: .up) }
  }

  func animatedImageDuration(at index: UInt) -> TimeInterval {
    TimeInterval(player?.animation.frames[Int(index)].displayDuration ?? 0) / 1000
  }
}

extension [SDImageCoderOption: Any]? {
  /// Returns the size of the oriented image. It follows from the limit in bytes if there is one, and otherwise from the
  /// thumbnail's size.
  ///
  /// - Parameter data: The complete file. Nil if it is not available, so that the orientation and the limit are
  ///   unknown.
  fileprivate func decoding(of data: Data?) -> WebP.DecodeOptions {
    var decoding = WebP.DecodeOptions(format: .bgraPremultiplied)
    if let limit = self?[.decodeScaleDownLimitBytes] as? Int, limit > 0, let data, let info = try? WebP.info(data) {
      let frames = info.isAnimated ? (try? WebP.Animation(data).frameCount) ?? 1 : 1
      let scale = (Double(limit) / Double(4 * frames * info.width * info.height)).squareRoot()
      decoding.size = .fit(width: Swift.max(1, Int(Double(info.width) * scale)))
    } else if let size = self?[.decodeThumbnailPixelSize] as? CGSize, size.width >= 1, size.height >= 1 {
      let swapsSides = data.flatMap { WebP.metadata($0).orientation?.swapsWidthAndHeight } ?? false
      let (width, height) = (Int(size.width), Int(size.height))
      decoding.size = swapsSides ? .fit(width: height, height: width) : .fit(width: width, height: height)
    }
    return decoding
  }
}

extension [SDImageCoderOption: Any] {
  fileprivate var scale: CGFloat { self[.decodeScaleFactor] as? CGFloat ?? 1 }
}
