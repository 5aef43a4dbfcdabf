#if canImport(CoreGraphics)
  import CoreGraphics
  import Foundation
  import PureWebP

  /// The frames of an animation as they are shown: decoded one after another, and the last one kept.
  ///
  /// A frame that cannot be decoded ends the animation at the one before.
  final class WebPFramePlayer: @unchecked Sendable {
    let animation: WebP.Animation
    private let profile: [UInt8]?
    private let lock = NSLock()
    private var iterator: WebP.Animation.FrameIterator
    private var next = 0
    private var shown: CGImage?

    init(_ animation: WebP.Animation) {
      self.animation = animation
      profile = animation.metadata.icc
      iterator = animation.makeIterator()
    }

    func image(at index: Int) -> CGImage? {
      lock.withLock {
        if index < next - 1 {
          iterator = animation.makeIterator()
          next = 0
        }
        while next <= index {
          guard let frame = try? iterator.nextFrame() else { break }
          if next == index { shown = frame.image.cgImage(profile: profile) }
          next += 1
        }
        return shown
      }
    }
  }
#endif
