@_exported import CoreGraphics

open class UIImage: NSObject, @unchecked Sendable {
  public enum Orientation: Int, Sendable {
    case up, down, left, right, upMirrored, downMirrored, leftMirrored, rightMirrored
  }
  public init(cgImage: CGImage, scale: CGFloat, orientation: Orientation) {}
  open class func animatedImage(with images: [UIImage], duration: TimeInterval) -> UIImage? { nil }
}
