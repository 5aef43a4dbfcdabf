import Foundation
import PureWebP

/// The times at which one view shows the frames of an animation, in the seconds of a `FrameClock`.
@MainActor
final class FrameSchedule {
  private var schedule: WebP.Animation.FrameSchedule
  private let milliseconds: [Int]

  init(_ animation: WebP.Animation) {
    schedule = .init(animation)
    milliseconds = animation.frames.map(\.displayMilliseconds)
  }

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
  private var player: WebPFramePlayer<Frame>
  let schedule: FrameSchedule
  private let clock: any FrameClock
  private var show: (Frame) -> Void
  private var task: Task<Void, Never>?
  private var refreshing: Task<Void, Never>?

  /// - Parameter schedule: an earlier schedule of the same animation, which continues.
  init(
    _ player: WebPFramePlayer<Frame>, _ clock: any FrameClock, _ schedule: FrameSchedule? = nil,
    show: @escaping (Frame) -> Void
  ) {
    self.player = player
    self.clock = clock
    self.show = show
    self.schedule = schedule ?? FrameSchedule(player.animation)
  }

  deinit {
    task?.cancel()
    refreshing?.cancel()
  }

  /// Continues with frames in another size.
  func replace(_ player: WebPFramePlayer<Frame>, show: @escaping (Frame) -> Void) {
    let isPlaying = isPlaying
    self.isPlaying = false
    (self.player, self.show) = (player, show)
    showCurrentFrame()
    self.isPlaying = isPlaying
  }

  /// Shows the frame that was shown last, unless another frame is shown meanwhile.
  func showCurrentFrame() {
    let (player, index) = (player, schedule.shownIndex)
    refreshing?.cancel()
    refreshing = Task { [weak self] in
      let frame = await Task.detached { player.image(at: index) }.value
      guard let self, let frame, !Task.isCancelled, schedule.shownIndex == index else { return }
      show(frame)
    }
  }

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
