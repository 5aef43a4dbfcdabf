#if canImport(UIKit)
  import Foundation
  import PureWebP
  import UIKit

  extension UIImage {
    /// Decodes a WebP, turned as its metadata says; an animation becomes an animated image.
    ///
    /// All frames of an animation are decoded at once. UIKit shows each for the same time, so that frames are repeated in
    /// proportion to their durations. For long animations, `WebPImage` decodes frames when they are shown.
    ///
    /// - Parameter scale: pixels for a point.
    /// - Throws: `WebP.DecodeError`.
    public static func webP(_ bytes: Data, scale: CGFloat = 1) throws -> UIImage? {
      guard try WebP.info(bytes).isAnimated else {
        return try WebP.cgImage(bytes).map { cgImage in
          let orientation = WebP.metadata(bytes).orientation ?? .up
          return UIImage(cgImage: cgImage, scale: scale, orientation: Orientation(orientation))
        }
      }
      var options = WebP.DecodeOptions()
      options.format = .bgraPremultiplied
      let animation = try WebP.Animation(bytes, options: options)
      let profile = animation.metadata.icc
      let unit = animation.frameTimeUnit
      var images: [UIImage] = []
      var iterator = animation.makeIterator()
      while let frame = try iterator.nextFrame() {
        guard let cgImage = frame.image.cgImage(profile: profile) else { return nil }
        let image = UIImage(cgImage: cgImage, scale: scale, orientation: .up)
        images += repeatElement(image, count: frame.shownDuration / unit)
      }
      return animatedImage(with: images, duration: Double(images.count * unit) / 1000)
    }
  }

  extension UIImage.Orientation {
    public init(_ orientation: WebP.Orientation) {
      switch orientation {
      case .up: self = .up
      case .upMirrored: self = .upMirrored
      case .down: self = .down
      case .downMirrored: self = .downMirrored
      case .left: self = .left
      case .leftMirrored: self = .leftMirrored
      case .right: self = .right
      case .rightMirrored: self = .rightMirrored
      }
    }
  }
#endif
