import Foundation

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
