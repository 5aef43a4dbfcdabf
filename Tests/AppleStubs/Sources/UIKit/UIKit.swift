// Declarations of UIKit (iOS 13): UIImage.h, UIView.h, UIImageView.h, UIScreen.h, UIAccessibility.h,
// UITraitCollection.h.
@_exported import CoreGraphics
@_exported import QuartzCore

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

@MainActor open class UITraitCollection: NSObject {
  /// 0 if it is not specified.
  open var displayScale: CGFloat { 1 }
}

@MainActor open class UIView: NSObject {
  public enum ContentMode: Int, Sendable {
    case scaleToFill, scaleAspectFit, scaleAspectFill, redraw, center, top, bottom, left, right
    case topLeft, topRight, bottomLeft, bottomRight
  }

  open var bounds: CGRect { .zero }
  open var contentMode = ContentMode.scaleToFill
  open var traitCollection: UITraitCollection { UITraitCollection() }
  open var window: UIWindow? { nil }
  open var superview: UIView? { nil }
  open var isHidden = false
  open var alpha: CGFloat = 1
  open var layer: CALayer { CALayer() }
  open func convert(_ rect: CGRect, to view: UIView?) -> CGRect { rect }
}

@MainActor open class UIWindow: UIView {}

@MainActor open class UIImageView: UIView {
  open var image: UIImage?
}

@MainActor open class UIScreen: NSObject {
  open class var main: UIScreen { UIScreen() }
  open var bounds: CGRect { .zero }
}

@MainActor public enum UIAccessibility {
  public static var isReduceMotionEnabled: Bool { false }
}
