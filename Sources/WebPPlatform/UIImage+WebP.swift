#if canImport(UIKit)
  import Foundation
  import PureWebP
  import WebPExport
  import UIKit

  extension UIImage {
    /// Decodes a still WebP, or the first frame of an animation, and orients it as the metadata specifies.
    ///
    /// ```swift
    /// imageView.image = try UIImage(webP: data, scale: 2)
    /// ```
    ///
    /// - Parameters:
    ///   - bytes: A complete file, or a bare VP8 or VP8L bitstream.
    ///   - scale: The number of pixels for each point.
    ///   - options: The decoding options, except that the format is `bgraPremultiplied`. Crop and size refer to the
    ///     stored image, before it is oriented.
    /// - Throws: `WebP.DecodeError`; `WebP.ExportError.outOfMemory` if CoreGraphics cannot create the image.
    public convenience init(webP bytes: Data, scale: CGFloat = 1, options: WebP.DecodeOptions = .init()) throws {
      var options = options
      options.format = .bgraPremultiplied
      try self.init(
        webP: WebP.decode(bytes, options: options), scale: scale,
        metadata: WebP.metadata(bytes, limits: options.limits))
    }

    /// Creates an image from decoded pixels, with the profile and the orientation of their metadata.
    ///
    /// - Parameters:
    ///   - image: The pixels. The orientation does not apply to an upright image.
    ///   - scale: The number of pixels for each point.
    ///   - metadata: The metadata of the file.
    /// - Throws: `WebP.ExportError.outOfMemory` if CoreGraphics cannot create the image or does not support its format.
    public convenience init(webP image: WebP.Image, scale: CGFloat = 1, metadata: WebP.Metadata = .init()) throws {
      let orientation = image.appliedOrientation == nil ? metadata.orientation ?? .up : .up
      self.init(
        cgImage: try image.makeCGImage(profile: metadata.icc), scale: scale, orientation: Orientation(orientation))
    }

    /// Decodes all frames of an animation, and orients them as the metadata specifies.
    ///
    /// UIKit shows each image of the result for the same time. Therefore images are repeated in proportion to the
    /// durations, with at most ten thousand repetitions. Image views ignore the loop count of the file. `WebPImage`
    /// honors it, and decodes each frame when it is shown.
    ///
    /// If a frame is corrupt, the previous image is shown for its duration.
    ///
    /// - Throws: The same errors as ``UIKit/UIImage/init(webP:scale:options:)``, if the first frame is corrupt.
    ///   `WebP.DecodeError` is also thrown if all frames together have more pixels than `limits.maximumPixels`.
    public static func animatedImage(
      webP bytes: Data, scale: CGFloat = 1, options: WebP.DecodeOptions = .init()
    ) throws -> UIImage {
      var options = options
      options.format = .bgraPremultiplied
      let animation = try WebP.Animation(bytes, options: options)
      try options.limits.check(allFramesOf: animation)
      let repeats = FrameRepeats(animation.frames.map(\.displayMilliseconds))
      // The player orients the pixels. UIKit ignores the orientation of images in an animation.
      let player = WebPFramePlayer(animation)
      var images: [UIImage] = []
      for index in animation.frames.indices {
        guard let cgImage = player.image(at: index) else {
          _ = try animation.frame(at: 0)  // Throws the error of the first frame.
          throw WebP.ExportError.outOfMemory
        }
        let image = UIImage(cgImage: cgImage, scale: scale, orientation: .up)
        images += repeatElement(image, count: repeats.counts[index])
      }
      let duration = Double(images.count) * Double(repeats.unit) / 1000
      guard let image = animatedImage(with: images, duration: duration) else { throw WebP.ExportError.outOfMemory }
      return image
    }
  }

  extension UIImage {
    /// Decodes an image, or all frames of an animation.
    static func decoded(_ data: Data, scale: CGFloat) throws -> UIImage {
      try WebP.info(data).frameCount > 1 ? animatedImage(webP: data, scale: scale) : UIImage(webP: data, scale: scale)
    }
  }

  extension UIImage.Orientation {
    /// Creates the UIKit value for an orientation.
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
