import Foundation
import PureWebP

/// The times at which one view shows the frames of an animation.
@MainActor
final class FrameSchedule {
  /// The index of the next frame. Nil after all loops.
  private(set) var next: Int? = 0
  /// The durations of the frames, in seconds.
  private let durations: [Double]
  private let loopCount: Int
  private var loops = 0
  /// The time at which the next frame is due. Nil before the first frame and after a pause.
  private var due: Double?

  init(_ animation: WebP.Animation) {
    durations = animation.frames.map { Double($0.displayDuration) / 1000 }
    loopCount = animation.loopCount
    if durations.isEmpty { next = nil }
  }

  /// The time at which the next frame is due, or after all loops the end of the last frame.
  func dueTime(now: Double) -> Double { due ?? now }

  /// Counts the next frame as shown now. If a view is late by more than a tenth of a second, later frames are not shown
  /// faster to catch up.
  func advance(now: Double) {
    guard let index = next else { return }
    let start = due.map { now - $0 > 0.1 ? now : $0 } ?? now
    due = start + durations[index]
    next = index + 1
    guard index + 1 == durations.count else { return }
    loops += 1
    next = loopCount > 0 && loops >= loopCount ? nil : 0
  }

  /// Makes the next frame due when the view continues.
  func pause() { due = nil }
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

extension WebPFramePlayer where Frame: Sendable {
  /// Shows the frames, each for its duration, until all loops are over or the task is cancelled. Frames are decoded on
  /// other threads than the main thread.
  @MainActor
  public func play(_ show: (Frame?) -> Void) async {
    await play(FrameSchedule(animation), SleepingClock(), show)
  }

  /// Shows the frames from the next one of the schedule on. The next frame is decoded while the previous one is shown.
  @MainActor
  func play(_ schedule: FrameSchedule, _ clock: any FrameClock, _ show: (Frame?) -> Void) async {
    while let index = schedule.next {
      let frame = await Task.detached { self.image(at: index) }.value
      if Task.isCancelled { return }
      await clock.wait(until: schedule.dueTime(now: clock.now))
      if Task.isCancelled { return }
      show(frame)
      schedule.advance(now: clock.now)
    }
    await clock.wait(until: schedule.dueTime(now: clock.now))
  }
}

/// The playback of an animation in one view. It can be paused, and continues with the next frame.
@MainActor
final class AnimationPlayback<Frame: Sendable> {
  private let player: WebPFramePlayer<Frame>
  private let schedule: FrameSchedule
  private let clock: any FrameClock
  private let show: (Frame) -> Void
  private var task: Task<Void, Never>?

  init(_ player: WebPFramePlayer<Frame>, _ clock: any FrameClock, show: @escaping (Frame) -> Void) {
    self.player = player
    self.clock = clock
    self.show = show
    schedule = FrameSchedule(player.animation)
  }

  deinit { task?.cancel() }

  var isPlaying: Bool {
    get { task != nil }
    set {
      guard newValue != isPlaying else { return }
      guard newValue else {
        task?.cancel()
        task = nil
        schedule.pause()
        return
      }
      task = Task { [weak self, player, schedule, clock] in
        await player.play(schedule, clock) { frame in
          if let frame { self?.show(frame) }
        }
      }
    }
  }
}
