import Foundation
import PureWebP

extension FrameSchedule {
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

extension WebPFramePlayer where Frame: Sendable {
  /// Shows the frames, each for its duration, until all loops are over or the task is cancelled. Frames are decoded on
  /// other threads than the main thread.
  @MainActor
  public func play(_ show: (Frame?) -> Void) async {
    await FrameSchedule(animation).play(SleepingClock(), { await self.decoded(at: $0) }, show: show)
  }

  /// Decodes a frame on another thread than the main thread.
  fileprivate func decoded(at index: Int) async -> Frame? { await Task.detached { self.image(at: index) }.value }
}

/// The playback of an animation in one view. It can be paused, and continues with the next frame.
@MainActor
final class AnimationPlayback<Frame: Sendable> {
  private let frames: SharedFrames<Frame>
  private let clock: any FrameClock
  private let schedule: FrameSchedule
  private let onEnd: @MainActor () -> Void
  private let show: (Frame) -> Void
  private var task: Task<Void, Never>?
  private var refreshing: Task<Void, Never>?

  /// - Parameter schedule: the schedule, which may continue an earlier playback of the same animation.
  init(
    _ frames: SharedFrames<Frame>, _ clock: any FrameClock, _ schedule: FrameSchedule,
    onEnd: @escaping @MainActor () -> Void = {}, show: @escaping (Frame) -> Void
  ) {
    self.frames = frames
    self.clock = clock
    self.schedule = schedule
    self.onEnd = onEnd
    self.show = show
  }

  deinit {
    task?.cancel()
    refreshing?.cancel()
  }

  /// Shows the frame that was shown last, unless another frame is shown meanwhile.
  func showCurrentFrame() {
    let index = schedule.shownIndex
    refreshing?.cancel()
    refreshing = Task { [weak self, frames] in
      let frame = await frames.frame(at: index)
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
        refreshing?.cancel()
        schedule.pause()
        return
      }
      task = Task { [weak self, frames, schedule, clock] in
        await schedule.play(
          clock, { await frames.frame(at: $0) },
          show: { frame in
            if let frame { self?.show(frame) }
          })
        if !Task.isCancelled { self?.end() }
      }
    }
  }

  private func end() {
    if schedule.isEndReported { return }
    schedule.isEndReported = true
    onEnd()
  }

  /// Begins with the first frame again if all loops are over.
  func restartIfEnded() {
    guard schedule.next == nil else { return }
    let isPlaying = isPlaying
    self.isPlaying = false
    schedule.restart()
    self.isPlaying = isPlaying
  }
}
