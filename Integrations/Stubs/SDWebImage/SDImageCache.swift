// The rules by which SDWebImage 5.21.5 stores images that have no data, such as thumbnails and transformed images:
// Core/SDImageCache.m (lines 262 to 292), Core/SDImageCodersManager.m (lines 38 and 110), Core/SDImageIOCoder.m, and
// Core/SDImageIOAnimatedCoder.m (lines 841 to 860).
import PlatformNames

/// The disk cache.
public final class SDImageCache {
  private let coders: SDImageCodersManager
  private var files: [String: Data] = [:]

  /// - Parameter coders: the manager, which is the shared one in SDWebImage.
  public init(coders: SDImageCodersManager) { self.coders = coders }

  /// Stores an image on disk. If the encoder fails, nothing is stored, and no error is reported.
  public func store(_ image: UIImage, imageData: Data? = nil, forKey key: String) {
    if let data = imageData ?? (image as? SDAnimatedImage)?.animatedCoder?.animatedImageData {
      files[key] = data
      return
    }
    var format = image.sd_imageFormat
    if format == .undefined { format = image.frames.count > 1 ? .GIF : image.hasAlpha ? .PNG : .JPEG }
    files[key] = coders.encodedData(with: image, format: format, options: nil)
  }

  public func diskImageData(forKey key: String) -> Data? { files[key] }

  public func imageFromDiskCache(forKey key: String) -> UIImage? {
    files[key].flatMap { coders.decodedImage(with: $0, options: nil) }
  }
}

/// ImageIO, which claims every format, but has no encoder for WebP.
public final class SDImageIOCoder: NSObject, SDImageCoder {
  public func canDecode(from data: Data?) -> Bool { data.map { PNGStub(data: $0) != nil } ?? false }
  public func canEncode(to format: SDImageFormat) -> Bool { true }

  public func decodedImage(with data: Data?, options: [SDImageCoderOption: Any]?) -> UIImage? {
    data.flatMap { PNGStub(data: $0)?.image(allFrames: false) }
  }

  public func encodedData(with image: UIImage?, format: SDImageFormat, options: [SDImageCoderOption: Any]?) -> Data? {
    format == .PNG ? image.map { PNGStub($0, allFrames: false).data } : nil
  }
}

/// Animated PNG.
public final class SDImageAPNGCoder: NSObject, SDImageCoder {
  public func canDecode(from data: Data?) -> Bool { data.map { PNGStub(data: $0) != nil } ?? false }
  public func canEncode(to format: SDImageFormat) -> Bool { format == .PNG }

  public func decodedImage(with data: Data?, options: [SDImageCoderOption: Any]?) -> UIImage? {
    data.flatMap { PNGStub(data: $0)?.image(allFrames: true) }
  }

  public func encodedData(with image: UIImage?, format: SDImageFormat, options: [SDImageCoderOption: Any]?) -> Data? {
    format == .PNG ? image.map { PNGStub($0, allFrames: true).data } : nil
  }
}

/// A file that begins as a PNG, and stores the frames of an image without compression.
private struct PNGStub: Codable {
  private struct Frame: Codable {
    let width, height: Int
    let alphaInfo: UInt32
    let pixels: Data
  }

  private static let signature = Data([0x89, 0x50, 0x4E, 0x47])
  private let frames: [Frame]
  private let duration: TimeInterval
  private let loopCount: UInt

  init(_ image: UIImage, allFrames: Bool) {
    frames = (allFrames ? image.frames : [image]).compactMap(\.cgImage).map {
      Frame(width: $0.width, height: $0.height, alphaInfo: $0.alphaInfo.rawValue, pixels: $0.pixels)
    }
    (duration, loopCount) = (image.duration, image.sd_imageLoopCount)
  }

  init?(data: Data) {
    guard data.starts(with: Self.signature),
      let value = try? JSONDecoder().decode(Self.self, from: data.dropFirst(Self.signature.count))
    else { return nil }
    self = value
  }

  var data: Data { Self.signature + ((try? JSONEncoder().encode(self)) ?? Data()) }

  func image(allFrames: Bool) -> UIImage? {
    let images = frames.compactMap { frame -> UIImage? in
      guard let space = CGColorSpace(name: CGColorSpace.sRGB),
        let provider = CGDataProvider(data: frame.pixels as CFData)
      else { return nil }
      let image = unsafe CGImage(
        width: frame.width, height: frame.height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: 4 * frame.width,
        space: space, bitmapInfo: CGBitmapInfo(rawValue: frame.alphaInfo | CGBitmapInfo.byteOrder32Little.rawValue),
        provider: provider, decode: nil, shouldInterpolate: true, intent: .defaultIntent)
      return image.map { UIImage(cgImage: $0, scale: 1, orientation: .up) }
    }
    guard allFrames, images.count > 1 else { return images.first }
    let image = UIImage.animatedImage(with: images, duration: duration)
    image?.sd_imageLoopCount = loopCount
    return image
  }
}

extension UIImage {
  #if !canImport(UIKit)
    fileprivate var images: [UIImage]? { nil }
    fileprivate var duration: TimeInterval { 0 }
  #endif
  fileprivate var frames: [UIImage] { images ?? [self] }

  fileprivate var hasAlpha: Bool {
    switch cgImage?.alphaInfo {
    case .none?, .noneSkipFirst?, .noneSkipLast?, nil: false
    default: true
    }
  }
}
