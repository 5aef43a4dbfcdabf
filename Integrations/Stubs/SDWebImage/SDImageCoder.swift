// Declarations of SDWebImage 5.21.5, as Swift imports them: Core/SDImageCoder.h, Core/SDImageCodersManager.h,
// Core/NSData+ImageContentType.h, Core/UIImage+Metadata.h. The protocols are Objective-C protocols there, and not
// isolated: SDWebImage calls coders on background queues.
@_exported import PlatformNames

public struct SDImageCoderOption: Hashable, Sendable {
  let name: String

  public static let decodeFirstFrameOnly = SDImageCoderOption(name: "decodeFirstFrameOnly")
  public static let decodeScaleFactor = SDImageCoderOption(name: "decodeScaleFactor")
  public static let decodePreserveAspectRatio = SDImageCoderOption(name: "decodePreserveAspectRatio")
  public static let decodeThumbnailPixelSize = SDImageCoderOption(name: "decodeThumbnailPixelSize")
  public static let decodeScaleDownLimitBytes = SDImageCoderOption(name: "decodeScaleDownLimitBytes")
}

public struct SDImageFormat: Hashable, Sendable {
  public let rawValue: Int
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let (undefined, JPEG, PNG, GIF) = (
    Self(rawValue: -1), Self(rawValue: 0), Self(rawValue: 1), Self(rawValue: 2)
  )
  public static let webP = SDImageFormat(rawValue: 4)
}

/// Associated objects of the image (UIImage+Metadata.m). A loop count of 0 is endless.
extension UIImage {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public var sd_imageLoopCount: UInt {
    get { associatedObjects["loopCount"] as? UInt ?? 0 }
    set { associatedObjects["loopCount"] = newValue }
  }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  public var sd_imageFormat: SDImageFormat {
    get { associatedObjects["format"] as? SDImageFormat ?? .undefined }
    set { associatedObjects["format"] = newValue }
  }
}

public protocol SDImageCoder: NSObjectProtocol {
  func canDecode(from data: Data?) -> Bool
  func decodedImage(with data: Data?, options: [SDImageCoderOption: Any]?) -> UIImage?
  func canEncode(to format: SDImageFormat) -> Bool
  func encodedData(with image: UIImage?, format: SDImageFormat, options: [SDImageCoderOption: Any]?) -> Data?
}

public protocol SDProgressiveImageCoder: SDImageCoder {
  func canIncrementalDecode(from data: Data?) -> Bool
  init(incrementalWithOptions options: [SDImageCoderOption: Any]?)
  /// - Parameter data: All data so far.
  func updateIncrementalData(_ data: Data?, finished: Bool)
  func incrementalDecodedImage(options: [SDImageCoderOption: Any]?) -> UIImage?
}

public protocol SDAnimatedImageProvider: NSObjectProtocol {
  var animatedImageData: Data? { get }
  var animatedImageFrameCount: UInt { get }
  var animatedImageLoopCount: UInt { get }
  /// - Parameter index: Any index, because views may share the provider.
  func animatedImageFrame(at index: UInt) -> UIImage?
  func animatedImageDuration(at index: UInt) -> TimeInterval
}

public protocol SDAnimatedImageCoder: SDImageCoder, SDAnimatedImageProvider {
  init?(animatedImageData data: Data?, options: [SDImageCoderOption: Any]?)
}

public final class SDImageCodersManager: @unchecked Sendable {
  public static let shared = SDImageCodersManager()
  /// Without the coder for GIF.
  public var coders: [any SDImageCoder]? = [SDImageIOCoder(), SDImageAPNGCoder()]

  public init() {}

  public func addCoder(_ coder: any SDImageCoder) { coders?.append(coder) }

  /// Decodes with the last added coder that can.
  public func decodedImage(with data: Data?, options: [SDImageCoderOption: Any]?) -> UIImage? {
    coders?.last { $0.canDecode(from: data) }?.decodedImage(with: data, options: options)
  }

  /// Encodes with the last added coder that can. Other coders are not tried after a failure.
  public func encodedData(
    with image: UIImage?, format: SDImageFormat, options: [SDImageCoderOption: Any]?
  ) -> Data? {
    coders?.last { $0.canEncode(to: format) }?.encodedData(with: image, format: format, options: options)
  }
}
