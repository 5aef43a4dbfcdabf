import PureWebP

/// The playback of an animation in one view. It can be paused, and continues with the next frame.
@MainActor
final class AnimationPlayback<Frame: Sendable> {
  private let frames: SharedFrames<Frame>
  private let clock: any FrameClock
  private let position: PlaybackPosition
  private let onEnd: @MainActor () -> Void
  private let show: (Frame) -> Void
  private var task: Task<Void, Never>?
  private var refreshing: Task<Void, Never>?

  /// - Parameter position: the position, which may be the one of an earlier playback of the same animation.
  init(
    _ frames: SharedFrames<Frame>, _ clock: any FrameClock, _ position: PlaybackPosition,
    onEnd: @escaping @MainActor () -> Void = {}, show: @escaping (Frame) -> Void
  ) {
    self.frames = frames
    self.clock = clock
    self.position = position
    self.onEnd = onEnd
    self.show = show
  }

  deinit {
    task?.cancel()
    refreshing?.cancel()
  }

  /// Shows the frame that was shown last, unless another frame is shown meanwhile.
  func showCurrentFrame() {
    let index = position.shownIndex
    refreshing?.cancel()
    refreshing = Task { [weak self, frames] in
      let frame = await frames.frame(at: index)
      guard let self, let frame, !Task.isCancelled, position.shownIndex == index else { return }
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
        position.pause()
        return
      }
      task = Task { [weak self, frames, position, clock] in
        await position.play(
          clock, { await frames.frame(at: $0) },
          show: { frame in
            if let frame { self?.show(frame) }
          })
        if !Task.isCancelled { self?.end() }
      }
    }
  }

  private func end() {
    if position.isEndReported { return }
    position.isEndReported = true
    onEnd()
  }

  /// Begins with the first frame again if all loops are over.
  func restartIfEnded() {
    guard position.next == nil else { return }
    let isPlaying = isPlaying
    self.isPlaying = false
    position.restart()
    self.isPlaying = isPlaying
  }
}
