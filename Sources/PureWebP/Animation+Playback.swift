#if !hasFeature(Embedded) && canImport(_Concurrency)
  extension WebP.Animation {
    /// Returns a sequence that delivers each frame of the animation at its time.
    ///
    /// ```swift
    /// for try await frame in animation.playback() { show(frame.image) }
    /// ```
    ///
    /// A frame is composed while the previous one is shown. Times are measured from the start, so delays do not
    /// accumulate. If the consumer requests a frame more than 100 ms late, the schedule continues from then on: frames
    /// are neither skipped nor shown faster. The sequence ends when the duration of the last frame ends.
    ///
    /// Cancelling the task ends the wait immediately with a `CancellationError`. A corrupt frame throws a
    /// ``WebP/DecodeError`` at its time.
    ///
    /// - Parameters:
    ///   - loops: the number of times to play, at least 1. 0 means forever. Nil means the number in the file.
    ///   - usesStoredTimes: as in ``FrameSchedule``.
    ///   - clock: the clock that the times refer to.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public func playback<C: Clock>(
      loops: Int? = nil, usesStoredTimes: Bool = false, clock: C = ContinuousClock()
    ) -> Playback<C> where C.Duration == Duration {
      Playback(animation: self, loops: loops ?? loopCount, usesStoredTimes: usesStoredTimes, clock: clock)
    }

    /// The sequence that ``playback(loops:usesStoredTimes:clock:)`` returns.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public struct Playback<C: Clock>: AsyncSequence, Sendable where C.Duration == Duration {
      let animation: WebP.Animation
      let loops: Int
      let usesStoredTimes: Bool
      let clock: C

      public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(playback: self, frames: animation.makeIterator())
      }

      public struct AsyncIterator: AsyncIteratorProtocol {
        private let state: State

        init(playback: Playback, frames: FrameIterator) { state = State(playback: playback, frames: frames) }

        public mutating func next() async throws -> Frame? { try await state.next() }
      }

      /// The position in a playback.
      private final class State {
        private let playback: Playback
        private var frames: FrameIterator
        private var schedule: FrameSchedule
        /// The time at which the first frame was requested.
        private let start: C.Instant
        private var isFinished = false

        init(playback: Playback, frames: FrameIterator) {
          self.playback = playback
          self.frames = frames
          schedule = FrameSchedule(
            playback.animation, loops: playback.loops, usesStoredTimes: playback.usesStoredTimes)
          start = playback.clock.now
        }

        func next() async throws -> Frame? {
          try Task.checkCancellation()
          guard !isFinished else { return nil }
          let frame: Frame?
          do {
            frame = try nextFrame()
          } catch {
            isFinished = true
            try await wait()
            throw error
          }
          try await wait()
          guard let frame else {
            isFinished = true
            return nil
          }
          schedule.advance(atMilliseconds: milliseconds)
          return frame
        }

        private func nextFrame() throws(WebP.DecodeError) -> Frame? {
          if let frame = try frames.nextFrame() { return frame }
          guard schedule.nextIndex != nil else { return nil }
          frames = playback.animation.makeIterator()
          return try frames.nextFrame()
        }

        /// Waits until the next frame is due.
        private func wait() async throws {
          guard let due = schedule.dueMilliseconds, due > milliseconds else { return }
          try await playback.clock.sleep(until: start.advanced(by: .milliseconds(due)), tolerance: nil)
        }

        private var milliseconds: Int { Int(start.duration(to: playback.clock.now) / .milliseconds(1)) }
      }
    }
  }
#endif
