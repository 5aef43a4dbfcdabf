#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  import AppKit
  import Foundation
  import PureWebP

  extension NSImage {
    /// Decodes a WebP, and orients it as its metadata specifies.
    ///
    /// If the file is an animation, the image draws the frame that corresponds to the time since the image was created.
    /// A view that shows the image must redraw itself at least once per ``WebP/Animation/frameTimeUnit``.
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
      let info = try WebP.info(bytes)
      guard info.isAnimated else {
        try self.init(
          webP: WebP.decode(bytes, options: options), scale: scale,
          metadata: WebP.metadata(bytes, limits: options.limits))
        return
      }
      let player = WebPFramePlayer(try WebP.Animation(bytes, options: options))
      let pixels = try options.outputSize(for: info).oriented(player.orientation)
      let size = NSSize(width: CGFloat(pixels.width) / scale, height: CGFloat(pixels.height) / scale)
      let started = Date()
      self.init(size: size, flipped: false) { rectangle in
        let milliseconds = Int(Date().timeIntervalSince(started) * 1000)
        guard let frame = player.image(at: player.animation.frameIndex(atMilliseconds: milliseconds)),
          let context = NSGraphicsContext.current?.cgContext
        else { return false }
        context.draw(frame, in: rectangle)
        return true
      }
      cacheMode = .never
    }

    /// Creates an image from decoded pixels, with the profile of their metadata, and oriented as it specifies.
    ///
    /// - Parameters:
    ///   - image: The pixels. The orientation does not apply to an upright image.
    ///   - scale: The number of pixels for each point.
    ///   - metadata: The metadata of the file.
    /// - Throws: `WebP.ExportError.outOfMemory` if CoreGraphics cannot create the image or does not support its format.
    public convenience init(webP image: WebP.Image, scale: CGFloat = 1, metadata: WebP.Metadata = .init()) throws {
      let upright = image.appliedOrientation != nil ? image : image.oriented(metadata.orientation ?? .up)
      let cgImage = try upright.makeCGImage(profile: metadata.icc)
      self.init(
        cgImage: cgImage, size: NSSize(width: CGFloat(upright.width) / scale, height: CGFloat(upright.height) / scale))
    }

    /// Decodes an image, or an animation.
    static func decoded(_ data: Data, scale: CGFloat) throws -> NSImage { try NSImage(webP: data, scale: scale) }
  }
#endif
