import PureWebP

/// The frame that one view shows, and the times of the next ones, in the seconds of a `FrameClock`.
@MainActor
final class PlaybackPosition {
  private var schedule: WebP.Animation.FrameSchedule
  /// The schedule before the first frame.
  private let initial: WebP.Animation.FrameSchedule
  private let milliseconds: [Int]
  /// Indicates whether the end of the last loop was reported.
  var isEndReported = false

  /// - Parameter loops: the number of loops, or 0 for endless ones. Nil for the number in the file.
  init(_ animation: WebP.Animation, loops: Int? = nil) {
    initial = .init(animation, loops: loops.map { max(0, $0) })
    schedule = initial
    milliseconds = animation.frames.map(\.displayMilliseconds)
  }

  /// Begins with the first frame and the first loop again.
  func restart() { (schedule, isEndReported) = (initial, false) }

  /// Returns whether an animation has frames of the same durations.
  func fits(_ animation: WebP.Animation) -> Bool {
    milliseconds == animation.frames.map(\.displayMilliseconds)
  }

  /// The index of the frame that was shown last, or 0.
  private(set) var shownIndex = 0
  /// The index of the next frame. Nil after all loops.
  var next: Int? { schedule.nextIndex }

  /// The time at which the next frame is due, or after all loops the end of the last frame.
  func dueTime(now: Double) -> Double { schedule.dueMilliseconds.map { Double($0) / 1000 } ?? now }

  /// Counts the next frame as shown now.
  func advance(now: Double) {
    shownIndex = next ?? shownIndex
    schedule.advance(atMilliseconds: Int((now * 1000).rounded()))
  }

  /// Makes the next frame due when the view continues.
  func pause() { schedule.pause() }

  /// Shows the frames from the next one on, until all loops are over or the task is cancelled. The next frame is
  /// decoded while the previous one is shown.
  func play<Frame: Sendable>(
    _ clock: any FrameClock, _ frame: (Int) async -> Frame?, show: (Frame?) -> Void
  ) async {
    while let index = next {
      let frame = await frame(index)
      if Task.isCancelled { return }
      await clock.wait(until: dueTime(now: clock.now))
      if Task.isCancelled { return }
      // The frame counts as shown first, because the closure may pause the playback.
      advance(now: clock.now)
      show(frame)
      if Task.isCancelled { return }
    }
    await clock.wait(until: dueTime(now: clock.now))
  }
}
