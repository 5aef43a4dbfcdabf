#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  import AppKit
  import Foundation
  import PureWebP

  extension NSImage {
    /// Decodes a WebP, oriented by its metadata.
    ///
    /// An animation draws the frame for the time since the image was created. To animate it, redraw the view at least
    /// every ``WebP/Animation/frameTimeUnit`` milliseconds.
    ///
    /// - Parameter limits: the limits, which are checked before memory is allocated.
    /// - Throws: `WebP.DecodeError`.
    public static func webP(_ bytes: Data, limits: WebP.Limits = .init()) throws -> NSImage? {
      var options = WebP.DecodeOptions()
      options.format = .bgraPremultiplied
      options.limits = limits
      guard try WebP.info(bytes).isAnimated else {
        let metadata = WebP.metadata(bytes, limits: limits)
        let image = try WebP.decode(bytes, options: options).oriented(metadata.orientation ?? .up)
        let isOpaque = try !WebP.info(bytes).hasAlpha
        let size = NSSize(width: image.width, height: image.height)
        return image.cgImage(profile: metadata.icc, isOpaque: isOpaque).map { NSImage(cgImage: $0, size: size) }
      }
      let player = WebPFramePlayer(try WebP.Animation(bytes, options: options))
      let started = Date()
      let image = NSImage(size: NSSize(width: player.width, height: player.height), flipped: false) { rectangle in
        let milliseconds = Int(Date().timeIntervalSince(started) * 1000)
        guard let frame = player.image(at: player.animation.frameIndex(at: milliseconds)),
          let context = NSGraphicsContext.current?.cgContext
        else { return false }
        context.draw(frame, in: rectangle)
        return true
      }
      image.cacheMode = .never
      return image
    }
  }
#endif
