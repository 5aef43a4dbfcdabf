import Foundation
import PureWebP

/// The times at which one view shows the frames of an animation, in the seconds of a `FrameClock`.
@MainActor
final class FrameSchedule {
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
}

/// The clock of a view that shows frames.
@MainActor
protocol FrameClock: AnyObject {
  /// The time, in seconds.
  var now: Double { get }
  /// Returns when the view can show a frame that is due at `time`, or when the task is cancelled.
  func wait(until time: Double) async
  /// Ends all waits of cancelled tasks that the cancellation itself does not end.
  func stop()
}

extension FrameClock {
  func stop() {}
}

/// A clock that does not depend on the display.
@MainActor
final class SleepingClock: FrameClock {
  /// The time since the system started. `ProcessInfo.systemUptime` would need a reason in a privacy manifest.
  var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

  func wait(until time: Double) async {
    let seconds = time - now
    if seconds > 0 { try? await Task.sleep(nanoseconds: UInt64(seconds * 1e9)) }
  }
}
