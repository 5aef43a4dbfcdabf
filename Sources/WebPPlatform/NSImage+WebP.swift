#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  import AppKit
  import Foundation
  import PureWebP

  extension NSImage {
    /// Decodes a WebP, turned as its metadata says.
    ///
    /// An animation draws the frame of the moment that it is drawn at, counted from when it was made: a view that should
    /// show it move redraws itself, at the latest every ``WebP/Animation/frameTimeUnit``.
    ///
    /// - Parameter limits: what is refused before memory is taken for it.
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
