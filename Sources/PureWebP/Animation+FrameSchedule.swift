extension WebP.Animation {
  /// The times at which a viewer shows the frames, on any clock that counts milliseconds.
  ///
  /// ```swift
  /// var schedule = WebP.Animation.FrameSchedule(animation)
  /// let start = Date()
  /// while schedule.nextIndex != nil {
  ///   // Wait until `schedule.dueMilliseconds`, and show the frame.
  ///   schedule.advance(atMilliseconds: Int(Date().timeIntervalSince(start) * 1000))
  /// }
  /// ```
  ///
  /// Times are computed from the first frame on, so delays do not accumulate. If a frame is shown more than 100 ms
  /// late, the schedule continues from then on: frames are neither skipped nor shown faster.
  public struct FrameSchedule: Sendable {
    /// The index of the next frame. Nil after the last loop.
    public private(set) var nextIndex: Int?
    /// The time at which the next frame is due, or after the last loop the end of the last frame. Nil before the first
    /// frame and after a pause: the next frame is due immediately.
    public private(set) var dueMilliseconds: Int?

    private let durations: [Int]
    private let loops: Int
    private var finishedLoops = 0

    /// Creates a schedule that begins with the first frame.
    ///
    /// - Parameters:
    ///   - animation: The animation whose frames are shown.
    ///   - loops: The number of times to play, at least 1. 0 means forever. Nil means the number in the file.
    ///   - usesStoredTimes: Indicates whether frames are shown for their ``FrameInfo/storedMilliseconds``, which may be
    ///     0. Otherwise they are shown as in browsers, for their ``FrameInfo/displayMilliseconds``.
    public init(_ animation: WebP.Animation, loops: Int? = nil, usesStoredTimes: Bool = false) {
      durations = animation.frames.map {
        usesStoredTimes ? $0.storedMilliseconds : $0.displayMilliseconds
      }
      // A still image is shown once, because it has no duration.
      self.loops = durations == [0] ? 1 : loops ?? animation.loopCount
      nextIndex = durations.isEmpty ? nil : 0
    }

    /// Counts the next frame as shown.
    ///
    /// - Parameter now: The current time, in milliseconds.
    public mutating func advance(atMilliseconds now: Int) {
      guard let index = nextIndex else { return }
      var start = dueMilliseconds ?? now
      if now - start > 100 { start = now }
      dueMilliseconds = start + durations[index]
      nextIndex = index + 1
      guard index + 1 == durations.count else { return }
      finishedLoops += 1
      nextIndex = loops > 0 && finishedLoops >= loops ? nil : 0
    }

    /// Makes the next frame due when the viewer continues.
    public mutating func pause() { dueMilliseconds = nil }
  }
}
