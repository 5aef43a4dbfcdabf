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

  public init(cgImage: CGImage, scale: CGFloat, orientation: Orientation) {
    self.cgImage = cgImage
    self.scale = scale
    imageOrientation = orientation
    images = nil
    duration = 0
  }

  /// The initializer that `animatedImage` uses.
  private init(images: [UIImage], duration: TimeInterval) {
    cgImage = nil
    scale = 1
    imageOrientation = .up
    self.images = images
    self.duration = duration
  }

  open class func animatedImage(with images: [UIImage], duration: TimeInterval) -> UIImage? {
    UIImage(images: images, duration: duration)
  }
}
