#if !hasFeature(Embedded) && canImport(_Concurrency)
  extension WebP.Animation {
    /// The frames, each at its time.
    ///
    /// ```swift
    /// for try await frame in animation.playback() { show(frame.image) }
    /// ```
    ///
    /// A frame is composed while the one before it is shown. Times are counted from the start, so that delays don't add
    /// up; but whoever takes a frame more than a tenth of a second late has time go on from there: frames are neither left
    /// out nor hurried through. The sequence ends when the last frame's time is over.
    ///
    /// The task's cancellation ends the wait at once, with a `CancellationError`; a damaged frame throws a
    /// ``WebP/DecodeError`` at its time.
    ///
    /// - Parameters:
    ///   - loops: how many times to play, once at least; 0: for ever; nil: as often as the file says.
    ///   - shortFrames: how long frames of less than 11 milliseconds are shown.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public func playback(loops: Int? = nil, shortFrames: ShortFrames = .asInBrowsers) -> Playback<ContinuousClock> {
      playback(loops: loops, shortFrames: shortFrames, clock: ContinuousClock())
    }

    /// The frames, each at its time by `clock`.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public func playback<C: Clock>(
      loops: Int? = nil, shortFrames: ShortFrames = .asInBrowsers, clock: C
    ) -> Playback<C> where C.Duration == Duration {
      Playback(animation: self, loops: loops ?? loopCount, shortFrames: shortFrames, clock: clock)
    }

    /// How long frames of less than 11 milliseconds are shown.
    public enum ShortFrames: Hashable, Sendable {
      /// 100 milliseconds, as all browsers do: ``FrameInfo/shownDuration``.
      case asInBrowsers
      /// As the file says, be it no time at all.
      case asTold
    }

    /// What ``playback(loops:shortFrames:)`` makes.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public struct Playback<C: Clock>: AsyncSequence, Sendable where C.Duration == Duration {
      public typealias Element = Frame

      let animation: WebP.Animation
      let loops: Int
      let shortFrames: ShortFrames
      let clock: C

      public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(playback: self, frames: animation.makeIterator())
      }

      public struct AsyncIterator: AsyncIteratorProtocol {
        let playback: Playback
        var frames: FrameIterator
        private var finishedLoops = 0
        /// When the next frame is due; nil before the first.
        private var due: C.Instant?
        private var isFinished = false

        init(playback: Playback, frames: FrameIterator) {
          self.playback = playback
          self.frames = frames
        }

        public mutating func next() async throws -> Frame? {
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
          due = (due ?? playback.clock.now).advanced(by: playback.time(of: frame))
          return frame
        }

        private mutating func nextFrame() throws(WebP.DecodeError) -> Frame? {
          if let frame = try frames.nextFrame() { return frame }
          finishedLoops += 1
          guard playback.loops == 0 || finishedLoops < playback.loops else { return nil }
          frames = playback.animation.makeIterator()
          return try frames.nextFrame()
        }

        /// Waits until the next frame is due. If that is long over, it is due now.
        private mutating func wait() async throws {
          guard let due else { return }
          let late = due.duration(to: playback.clock.now)
          if late < .zero {
            try await playback.clock.sleep(until: due, tolerance: nil)
          } else if late > .milliseconds(100) {
            self.due = playback.clock.now
          }
        }
      }

      fileprivate func time(of frame: Frame) -> Duration {
        .milliseconds(shortFrames == .asInBrowsers ? frame.shownDuration : frame.duration)
      }
    }
  }
#endif
