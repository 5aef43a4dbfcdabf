@_exported import CoreGraphics

open class UIImage: NSObject, @unchecked Sendable {
  public enum Orientation: Int, Sendable {
    case up, down, left, right, upMirrored, downMirrored, leftMirrored, rightMirrored
  }

  public let cgImage: CGImage?
  public let scale: CGFloat
  public let imageOrientation: Orientation
  public let images: [UIImage]?
  public let duration: TimeInterval

  /// The size of the oriented image, in points.
  public var size: CGSize {
    guard let image = cgImage else { return .zero }
    let (width, height) = (CGFloat(image.width) / scale, CGFloat(image.height) / scale)
    switch imageOrientation {
    case .up, .down, .upMirrored, .downMirrored: return CGSize(width: width, height: height)
    case .left, .right, .leftMirrored, .rightMirrored: return CGSize(width: height, height: width)
    }
  }

  public init(cgImage: CGImage, scale: CGFloat, orientation: Orientation) {
    self.cgImage = cgImage
    self.scale = scale
    imageOrientation = orientation
    images = nil
    duration = 0
  }

  /// The initializer that `animatedImage` uses.
  private init(images: [UIImage], duration: TimeInterval) {
    cgImage = images.first?.cgImage
    scale = images.first?.scale ?? 1
    imageOrientation = .up
    self.images = images
    self.duration = duration
  }

  open class func animatedImage(with images: [UIImage], duration: TimeInterval) -> UIImage? {
    UIImage(images: images, duration: duration)
  }
}
