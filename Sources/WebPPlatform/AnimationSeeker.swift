import Foundation
import PureWebP

/// Composes any frame of an animation, from the nearest canvas that is available. All players of an animation share it.
///
///     frame        0   1   2   3   4   5   6   7   8   9
///     key frames   K                                       need no earlier frame
///     retained             ●           ●           ●       one per `interval` frames, stored when frames are skipped
///     position                             ▶               the caller's iterator, about to draw frame 6
///
/// From there, frame 9 is drawn after the retained frame 8, frame 6 by the position, and frame 3 after frame 2.
final class AnimationSeeker: @unchecked Sendable {
  /// A frame, and the iterator that continues after it.
  struct Composed: Sendable {
    let index: Int
    let image: WebP.Image
    let iterator: WebP.Animation.FrameIterator
  }

  let animation: WebP.Animation
  /// The distance between retained canvases, in frames.
  let interval: Int
  /// The index of the last key frame at or before each frame.
  private let keyFrames: [Int]
  private let lock = NSLock()
  /// Canvases at multiples of `interval`. Protected by `lock`.
  private var retained: [Int: Composed] = [:]
  /// The first corrupt frame after a key frame, by the index of the key frame. Protected by `lock`.
  private var corruptFrames: [Int: Int] = [:]
  /// The number of frames that have been drawn. Protected by `lock`.
  private var drawnFrames = 0

  /// - Parameter maximumBytes: the maximum memory of retained canvases. Each counts as two canvases, because it may
  ///   have a frame that is blended.
  init(_ animation: WebP.Animation, maximumBytes: Int) {
    self.animation = animation
    let bytes = 8 * Double(animation.canvasSize.width) * Double(animation.canvasSize.height)
    let count = Int(min(Double(animation.frameCount), max(0, Double(maximumBytes) / bytes)))
    interval = max(1, (animation.frameCount + count) / (count + 1))
    var key = 0
    keyFrames = animation.frames.enumerated().map { index, frame in
      if frame.isKeyFrame { key = index }
      return key
    }
  }

  /// The number of frames that have been drawn, for tests.
  var drawnFrameCount: Int { lock.withLock { drawnFrames } }
  /// The number of retained canvases, for tests.
  var retainedCount: Int { lock.withLock { retained.count } }

  /// Returns `index`, or the index of the last frame before a frame that is known to be corrupt.
  ///
  /// A corrupt frame also affects the frames after it, up to the next key frame.
  func shownIndex(for index: Int) -> Int {
    var index = index
    while index >= 0, let corrupt = lock.withLock({ corruptFrames[keyFrames[index]] }), corrupt <= index {
      index = corrupt - 1
    }
    return index
  }

  /// Returns the frame at an index, or the last frame before a corrupt one. Nil if no frame can be decoded.
  ///
  /// - Parameter position: a position from which to continue. If it is used, it becomes nil, so that the iterator need
  ///   not copy its canvas.
  func frame(at index: Int, after position: inout Position?) -> Composed? {
    var index = shownIndex(for: index)
    while index >= 0 {
      do {
        return try draw(index, after: &position)
      } catch {
        let key = keyFrames[index]
        let corrupt = min(max(error.frame ?? index, key), index)
        lock.withLock { corruptFrames[key] = corrupt }
        index = shownIndex(for: corrupt)
      }
    }
    return nil
  }

  private func draw(_ index: Int, after position: inout Position?) throws(WebP.DecodeError) -> Composed? {
    let key = keyFrames[index]
    let stored = nearestRetained(index, key)
    if let stored, stored.index == index { return stored }
    if var start = position, max(key, stored.map { $0.index + 1 } ?? 0)...index ~= start.next {
      position = nil
      return try draw(index, from: &start)
    }
    var start = Position(next: key, iterator: try animation.makeIterator(at: key))
    if let stored { start = Position(next: stored.index + 1, iterator: stored.iterator) }
    return try draw(index, from: &start)
  }

  private func draw(_ index: Int, from start: inout Position) throws(WebP.DecodeError) -> Composed? {
    lock.withLock { drawnFrames += index - start.next + 1 }
    // The skipped frames that are retained.
    let first = max(1, (start.next + interval - 1) / interval) * interval
    for skipped in stride(from: first, to: index, by: interval) {
      guard let image = try start.frame(skipped) else { return nil }
      let stored = Composed(index: skipped, image: image, iterator: start.iterator.checkpoint())
      lock.withLock { retained[skipped] = stored }
    }
    guard let image = try start.frame(index) else { return nil }
    return Composed(index: index, image: image, iterator: start.iterator)
  }

  private func nearestRetained(_ index: Int, _ key: Int) -> Composed? {
    lock.withLock {
      for candidate in stride(from: index / interval * interval, through: key, by: -interval) {
        if let stored = retained[candidate] { return stored }
      }
      return nil
    }
  }
}

extension AnimationSeeker {
  /// An iterator and the index of its next frame.
  struct Position: Sendable {
    var next: Int
    var iterator: WebP.Animation.FrameIterator

    /// Draws the frames through `index`, and returns the last one.
    fileprivate mutating func frame(_ index: Int) throws(WebP.DecodeError) -> WebP.Image? {
      iterator.advance(to: index)
      next = index + 1
      return try iterator.nextFrame()?.image
    }
  }
}
