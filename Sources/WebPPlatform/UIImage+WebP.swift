#if canImport(UIKit)
  import Foundation
  import PureWebP
  import UIKit

  extension UIImage {
    /// Decodes a WebP, turned as its metadata says; an animation becomes an animated image.
    ///
    /// All frames of an animation are decoded at once, and refused if together they have more pixels than
    /// `limits.maximumPixels`. UIKit shows each for the same time, so that frames are repeated in proportion to their
    /// durations, ten thousand times at the most, and repeats an image view's animation for ever, whatever its
    /// `loopCount`. `WebPImage` keeps to that, and decodes frames when they are shown.
    ///
    /// - Parameters:
    ///   - scale: pixels for a point.
    ///   - limits: what is refused before memory is taken for it.
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
        // Turned here: of the images of an animation UIKit shows the pixels alone.
        guard let cgImage = frame.image.oriented(orientation).cgImage(profile: profile) else { return nil }
        let image = UIImage(cgImage: cgImage, scale: scale, orientation: .up)
        images += repeatElement(image, count: repeats.counts[frame.index])
      }
      return animatedImage(with: images, duration: Double(images.count) * Double(repeats.unit) / 1000)
    }
  }

  extension UIImage.Orientation {
    /// The same orientation, as UIKit names it.
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
