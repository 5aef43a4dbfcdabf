import Foundation
import PureWebP

/// Decodes the frames of an animation, orients them as the metadata specifies, and converts them to the type that the
/// caller shows. Thread-safe.
///
/// ```swift
/// let player = WebPFramePlayer(animation) { $0 }
/// await player.play { frame in show(frame) }
/// ```
///
/// If a frame cannot be decoded, the previous frame is shown instead, until the next key frame. The closure at the end
/// of the initializer converts a canvas to the type that the caller displays. On Apple's platforms,
/// `WebPFramePlayer(animation)` converts it to a `CGImage`.
///
/// A player remembers up to four positions, each with a canvas. Therefore, views at different times of the same
/// animation can share a player. A ``copy()`` has positions of its own, and shares the file and the retained canvases.
public final class WebPFramePlayer<Frame>: @unchecked Sendable {
  /// The animation.
  public let animation: WebP.Animation
  /// The size of the stored canvas after its orientation is applied.
  public let canvasSize: WebP.Size
  let orientation: WebP.Orientation
  let seeker: AnimationSeeker
  private let transform: @Sendable (WebP.Image) throws -> WebP.Image
  private let convert: @Sendable (WebP.Image) -> Frame?
  private let lock = NSLock()
  /// The positions that no call is using. The last used one is last. Protected by `lock`.
  private var positions: [Position] = []

  /// A frame that has been shown, and the iterator that continues after it.
  private struct Position {
    let index: Int
    let frame: Frame?
    let iterator: WebP.Animation.FrameIterator
  }

  /// Creates a player.
  ///
  /// - Parameters:
  ///   - animation: The animation.
  ///   - maximumRetainedBytes: The maximum memory for canvases that are retained when frames are skipped, in bytes.
  ///     They are retained at equal distances of ``framesPerSeek``. The memory of positions is not included.
  ///   - transform: Changes a canvas before its orientation is applied. If it returns an upright image, as
  ///     `LoadedAnimation.transformed` does, the orientation is not applied again.
  ///   - convert: Converts an oriented canvas to the type that is shown.
  public init(
    _ animation: WebP.Animation, maximumRetainedBytes: Int = 16 << 20,
    transform: @escaping @Sendable (WebP.Image) throws -> WebP.Image = { $0 },
    _ convert: @escaping @Sendable (WebP.Image) -> Frame?
  ) {
    self.animation = animation
    orientation = animation.metadata.orientation ?? .up
    canvasSize = animation.canvasSize.oriented(orientation)
    seeker = AnimationSeeker(animation, maximumBytes: maximumRetainedBytes)
    self.transform = transform
    self.convert = convert
  }

  private init(copying other: WebPFramePlayer) {
    animation = other.animation
    (canvasSize, orientation) = (other.canvasSize, other.orientation)
    seeker = other.seeker
    transform = other.transform
    convert = other.convert
  }

  /// Returns a player for another view of the same animation.
  public func copy() -> WebPFramePlayer { WebPFramePlayer(copying: self) }

  /// The maximum number of frames that are decoded for a random index, once the frames before it have been decoded for
  /// an earlier index. It is the number of frames divided by the number of canvases that may be retained, plus one. A
  /// retained canvas takes 8 bytes per pixel, or more if frames are enlarged.
  public var framesPerSeek: Int { seeker.interval }

  /// Returns the frame at an index, or the last frame before a corrupt one. Returns nil if no frame can be decoded.
  ///
  /// Ascending indices are fastest. For another index, decoding restarts at the nearest earlier frame that is a key
  /// frame, is retained, or is the position of another view. An index after the last frame returns the last frame.
  public func image(at index: Int) -> Frame? {
    let index = seeker.shownIndex(for: min(max(0, index), animation.frameCount - 1))
    var position = takePosition(before: index)
    if let position, position.index == index {
      store(position)
      return position.frame
    }
    var frame = position?.frame
    let shownIndex = position?.index
    var start = position.map { AnimationSeeker.Position(next: $0.index + 1, iterator: $0.iterator) }
    position = nil  // so that only `start` refers to the canvas
    guard let composed = seeker.frame(at: index, after: &start) else { return nil }
    if composed.index != shownIndex, let transformed = try? transform(composed.image) {
      frame = convert(transformed.appliedOrientation == nil ? transformed.oriented(orientation) : transformed)
    }
    store(Position(index: composed.index, frame: frame, iterator: composed.iterator))
    return frame
  }

  /// Removes the last position at or before `index`, so that no other call uses it at the same time.
  private func takePosition(before index: Int) -> Position? {
    lock.withLock {
      let earlier = positions.indices.filter { positions[$0].index <= index }
      return earlier.max { positions[$0].index < positions[$1].index }.map { positions.remove(at: $0) }
    }
  }

  private func store(_ position: Position) {
    lock.withLock {
      // A view that has shown the last frame continues at the first one.
      positions.removeAll { $0.index == animation.frameCount - 1 }
      positions.append(position)
      if positions.count > 4 { positions.removeFirst() }
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
      let space = colorSpace(of: animation.metadata.icc)
      self.init(animation, transform: transform) { $0.cgImage(in: space) }
    }
  }
#endif

extension WebPFramePlayer where Frame: Sendable {
  /// Shows the frames, each for its duration, until all loops are over or the task is cancelled. Frames are decoded on
  /// other threads than the main thread.
  @MainActor
  public func play(_ show: (Frame?) -> Void) async {
    await PlaybackPosition(animation).play(SleepingClock(), { await self.decoded(at: $0) }, show: show)
  }

  /// Decodes a frame on another thread than the main thread.
  private func decoded(at index: Int) async -> Frame? { await Task.detached { self.image(at: index) }.value }
}
