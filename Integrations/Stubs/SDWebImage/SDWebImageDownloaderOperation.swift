// The path of a download through SDWebImage 5.21.5: Core/SDWebImageDownloaderOperation.m, Core/SDImageLoader.m,
// Core/SDAnimatedImage.m. The methods have the names of the delegate methods that they stand for.
import PlatformNames

/// One download, whose callers request images with different coder options.
public final class SDWebImageDownloaderOperation {
  private let coders: SDImageCodersManager
  private let isProgressive: Bool
  private let usesAnimatedImageClass: Bool
  private var imageData = Data()
  private var progressiveCoder: (any SDProgressiveImageCoder)?

  /// - Parameters:
  ///   - isProgressive: The option `SDWebImageProgressiveLoad`.
  ///   - usesAnimatedImageClass: Indicates whether the context has `SDAnimatedImage` as the class of animated images,
  ///     as `SDAnimatedImageView` does.
  public init(coders: SDImageCodersManager, isProgressive: Bool, usesAnimatedImageClass: Bool = false) {
    self.coders = coders
    self.isProgressive = isProgressive
    self.usesAnimatedImageClass = usesAnimatedImageClass
  }

  /// Receives some bytes, which are not the last ones, and returns the progressive image.
  public func didReceive(_ data: Data, options: [SDImageCoderOption: Any]) -> UIImage? {
    imageData += data
    return isProgressive ? decodeProgressively(finished: false, options) : nil
  }

  /// Receives the last bytes. Returns the image for each caller. SDWebImage reports nil as the error "Downloaded image
  /// decode failed".
  ///
  /// As in `startCoderOperationWithImageData`, the operations of all callers are added to a concurrent queue.
  public func didComplete(_ data: Data, options: [[SDImageCoderOption: Any]]) -> [UIImage?] {
    imageData += data
    let images = Images(count: options.count)
    nonisolated(unsafe) let operation = self
    nonisolated(unsafe) let sharedOptions = options
    DispatchQueue.concurrentPerform(iterations: options.count) { index in
      // If previews were decoded, the final image comes from the same coder.
      let image =
        unsafe operation.progressiveCoder == nil
        ? operation.decode(sharedOptions[index])
        : operation.decodeProgressively(finished: true, sharedOptions[index])
      images.set(image, at: index)
    }
    return images.all
  }

  /// The image of each caller.
  private final class Images: @unchecked Sendable {
    private let lock = NSLock()
    private var images: [UIImage?]

    init(count: Int) { images = Array(repeating: nil, count: count) }

    func set(_ image: UIImage?, at index: Int) { lock.withLock { images[index] = image } }
    var all: [UIImage?] { lock.withLock { images } }
  }

  private func decode(_ options: [SDImageCoderOption: Any]) -> UIImage? {
    if usesAnimatedImageClass, options[.decodeFirstFrameOnly] as? Bool != true,
      let coder = coders.coders?.last(where: { $0 is any SDAnimatedImageCoder && $0.canDecode(from: imageData) }),
      let animated = (coder as? any SDAnimatedImageCoder)
        .flatMap({ type(of: $0).init(animatedImageData: imageData, options: options) }),
      let image = SDAnimatedImage(animatedCoder: animated, scale: options[.decodeScaleFactor] as? CGFloat ?? 1)
    {
      return image
    }
    return coders.decodedImage(with: imageData, options: options)
  }

  private func decodeProgressively(finished: Bool, _ options: [SDImageCoderOption: Any]) -> UIImage? {
    if progressiveCoder == nil {
      // The options of the first caller.
      let coder = coders.coders?.lazy.compactMap { $0 as? any SDProgressiveImageCoder }
        .last { $0.canIncrementalDecode(from: self.imageData) }
      progressiveCoder = coder.map { type(of: $0).init(incrementalWithOptions: options) }
    }
    guard let progressiveCoder else { return nil }
    progressiveCoder.updateIncrementalData(imageData, finished: finished)
    if usesAnimatedImageClass, options[.decodeFirstFrameOnly] as? Bool != true,
      let animated = progressiveCoder as? any SDAnimatedImageCoder,
      let image = SDAnimatedImage(animatedCoder: animated, scale: options[.decodeScaleFactor] as? CGFloat ?? 1)
    {
      return image
    }
    return progressiveCoder.incrementalDecodedImage(options: options)
  }
}

public final class SDAnimatedImage: UIImage, @unchecked Sendable {
  /// Nil if there is only one frame.
  public let animatedCoder: (any SDAnimatedImageCoder)?

  public init?(animatedCoder: any SDAnimatedImageCoder, scale: CGFloat) {
    guard let first = animatedCoder.animatedImageFrame(at: 0), let image = first.cgImage else { return nil }
    self.animatedCoder = animatedCoder.animatedImageFrameCount > 1 ? animatedCoder : nil
    #if canImport(UIKit)
      super.init(cgImage: image, scale: max(scale, 1), orientation: first.imageOrientation)
    #else
      super.init(cgImage: image, size: first.size)
    #endif
  }
}
