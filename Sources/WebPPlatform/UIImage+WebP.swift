#if canImport(UIKit)
  import Foundation
  import PureWebP
  import UIKit

  extension UIImage {
    /// Decodes a WebP, oriented by its metadata. An animation becomes an animated image.
    ///
    /// All frames of an animation are decoded together. The call fails if they have more pixels than
    /// `limits.maximumPixels`. UIKit shows all images of an animation for the same time, so frames are repeated in
    /// proportion to their durations, with about ten thousand repetitions at most. An image view repeats the animation
    /// forever, regardless of `loopCount`. `WebPImage` obeys it, and decodes frames on demand.
    ///
    /// - Parameters:
    ///   - scale: the number of pixels per point.
    ///   - limits: the limits, which are checked before memory is allocated.
    /// - Throws: `WebP.DecodeError`.
    public static func webP(_ bytes: Data, scale: CGFloat = 1, limits: WebP.Limits = .init()) throws -> UIImage? {
      let orientation = WebP.metadata(bytes, limits: limits).orientation ?? .up
      guard try WebP.info(bytes).isAnimated else {
        return try WebP.cgImage(bytes, limits: limits).map {
          UIImage(cgImage: $0, scale: scale, orientation: Orientation(orientation))
        }
      }
      var options = WebP.DecodeOptions()
      options.format = .bgraPremultiplied
      options.limits = limits
      let animation = try WebP.Animation(bytes, options: options)
      try limits.check(allFramesOf: animation)
      let profile = animation.metadata.icc
      let repeats = FrameRepeats(animation.frames.map(\.shownDuration))
      var images: [UIImage] = []
      var iterator = animation.makeIterator()
      while let frame = try iterator.nextFrame() {
        // Oriented here, because UIKit ignores the orientation of an animation's images.
        guard let cgImage = frame.image.oriented(orientation).cgImage(profile: profile) else { return nil }
        let image = UIImage(cgImage: cgImage, scale: scale, orientation: .up)
        images += repeatElement(image, count: repeats.counts[frame.index])
      }
      return animatedImage(with: images, duration: Double(images.count) * Double(repeats.unit) / 1000)
    }
  }

  extension UIImage.Orientation {
    /// The UIKit equivalent of the orientation.
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
