import Foundation
import PureWebP

/// Decodes the frames of an animation in the order of display, orients them as the metadata specifies, and caches the
/// last one. Thread-safe.
///
/// ```swift
/// let player = WebPFramePlayer(animation) { $0 }
/// await player.play { frame in show(frame) }
/// ```
///
/// If a frame cannot be decoded, the previous frame is shown from there on. The closure at the end of the initializer
/// converts a canvas to the type that the caller displays. On Apple's platforms, `WebPFramePlayer(animation)` converts
/// it to a `CGImage`.
public final class WebPFramePlayer<Frame>: @unchecked Sendable {
  /// The animation.
  public let animation: WebP.Animation
  /// The width of the stored canvas after its orientation is applied, in pixels.
  public let width: Int
  /// The height of the stored canvas after its orientation is applied, in pixels.
  public let height: Int
  let orientation: WebP.Orientation
  private let transform: @Sendable (WebP.Image) throws -> WebP.Image
  private let convert: @Sendable (WebP.Image) -> Frame?
  private let lock = NSLock()
  private var iterator: WebP.Animation.FrameIterator
  private var next = 0
  private var shown: Frame?

  /// Creates a player.
  ///
  /// - Parameters:
  ///   - animation: The animation.
  ///   - transform: Changes a canvas before its orientation is applied.
  ///   - convert: Converts an oriented canvas to the type that is shown.
  public init(
    _ animation: WebP.Animation, transform: @escaping @Sendable (WebP.Image) throws -> WebP.Image = { $0 },
    _ convert: @escaping @Sendable (WebP.Image) -> Frame?
  ) {
    self.animation = animation
    orientation = animation.metadata.orientation ?? .up
    (width, height) = orientation.orientedSize(width: animation.width, height: animation.height)
    self.transform = transform
    self.convert = convert
    iterator = animation.makeIterator()
  }

  /// Returns the frame at an index, or the last frame before a corrupt one. Returns nil if no frame can be decoded.
  ///
  /// Ascending indices are fastest. For an index before the previous one, decoding restarts at the first frame.
  public func image(at index: Int) -> Frame? {
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
      if let last, let transformed = try? transform(last) { shown = convert(transformed.oriented(orientation)) }
      return shown
    }
  }
}

extension WebPFramePlayer where Frame: Sendable {
  /// Shows the frames, each for its duration, until all loops are over or the task is cancelled. Frames are decoded on
  /// other threads than the main thread.
  @MainActor
  public func play(_ show: (Frame?) -> Void) async {
    var loops = 0
    var due = ProcessInfo.processInfo.systemUptime
    while animation.loopCount == 0 || loops < animation.loopCount {
      for (index, frame) in animation.frames.enumerated() {
        let image = await Task.detached { self.image(at: index) }.value
        if Task.isCancelled { return }
        show(image)
        due += Double(frame.displayDuration) / 1000
        let now = ProcessInfo.processInfo.systemUptime
        // If the player is late, later frames are not shown faster to catch up.
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
    /// Creates a player that converts frames to `CGImage`, with the ICC profile of the file.
    public convenience init(
      _ animation: WebP.Animation, transform: @escaping @Sendable (WebP.Image) throws -> WebP.Image = { $0 }
    ) {
      let profile = animation.metadata.icc
      self.init(animation, transform: transform) { $0.cgImage(profile: profile) }
    }
  }
#endif
