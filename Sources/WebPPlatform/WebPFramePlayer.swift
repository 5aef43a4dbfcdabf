import Foundation
import PureWebP

/// The frames of an animation as they are shown: decoded one after another, turned as the metadata says, and the last one
/// kept.
///
/// A frame that cannot be decoded ends the animation at the one before.
final class WebPFramePlayer<Picture>: @unchecked Sendable {
  let animation: WebP.Animation
  /// Of the pictures, in pixels.
  let width: Int
  /// Of the pictures, in pixels.
  let height: Int
  private let orientation: WebP.Orientation
  private let picture: @Sendable (WebP.Image) -> Picture?
  private let lock = NSLock()
  private var iterator: WebP.Animation.FrameIterator
  private var next = 0
  private var shown: Picture?

  /// - Parameter picture: makes what is shown of a canvas that is turned already.
  init(_ animation: WebP.Animation, _ picture: @escaping @Sendable (WebP.Image) -> Picture?) {
    self.animation = animation
    orientation = animation.metadata.orientation ?? .up
    (width, height) = orientation.turned(width: animation.width, height: animation.height)
    self.picture = picture
    iterator = animation.makeIterator()
  }

  func image(at index: Int) -> Picture? {
    lock.withLock {
      if index < next - 1 {
        iterator = animation.makeIterator()
        next = 0
      }
      var last: WebP.Image?
      while next <= index, let frame = try? iterator.nextFrame() {
        last = frame.image
        next += 1
      }
      if let last { shown = picture(last.oriented(orientation)) }
      return shown
    }
  }
}

extension WebPFramePlayer where Picture: Sendable {
  /// Shows one frame after another, each for its time, until all loops are over or the task is cancelled. Frames are
  /// decoded off the main thread.
  @MainActor
  func play(_ show: (Picture?) -> Void) async {
    var loops = 0
    var due = ProcessInfo.processInfo.systemUptime
    while animation.loopCount == 0 || loops < animation.loopCount {
      for (index, frame) in animation.frames.enumerated() {
        let image = await Task.detached { self.image(at: index) }.value
        if Task.isCancelled { return }
        show(image)
        due += Double(frame.shownDuration) / 1000
        let now = ProcessInfo.processInfo.systemUptime
        // Whoever is far behind is not hurried, as in Playback.
        if now - due > 0.1 { due = now }
        if due > now { try? await Task.sleep(nanoseconds: UInt64((due - now) * 1e9)) }
        if Task.isCancelled { return }
      }
      loops += 1
    }
  }
}

#if canImport(CoreGraphics)
  import CoreGraphics

  extension WebPFramePlayer<CGImage> {
    convenience init(_ animation: WebP.Animation) {
      let profile = animation.metadata.icc
      self.init(animation) { $0.cgImage(profile: profile) }
    }
  }
#endif
