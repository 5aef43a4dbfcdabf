import PureWebP

extension WebP.Animation {
  /// The greatest common divisor of all durations, in milliseconds.
  public var frameTimeUnit: Int { FrameRepeats.unit(of: frames.map(\.displayMilliseconds)) }
}

/// The number of times to repeat each frame in a list of images that are all shown for the same time.
///
///     durations   100 300 100 ms                  unit 100 ms, counts 1 3 1
///                 16777215 11 ms, at most 100     unit 167773 ms, counts 100 1
struct FrameRepeats: Equatable {
  /// The display time of each repetition, in milliseconds.
  let unit: Int
  /// The number of repetitions of each frame.
  let counts: [Int]

  /// Determines the repetitions.
  ///
  /// - Parameters:
  ///   - durations: the durations of the frames, in milliseconds. A still image has 0.
  ///   - maximum: the maximum number of repetitions in addition to one for each frame. If exact times need more
  ///     repetitions, the unit is longer, and durations are rounded to multiples of it. Each duration is at least one
  ///     unit.
  init(_ durations: [Int], atMost maximum: Int = 10_000) {
    let total = durations.reduce(0 as Int64) { $0 + Int64($1) }
    let unit = max(Self.unit(of: durations), Int(clamping: (total + Int64(maximum) - 1) / Int64(maximum)))
    self.unit = unit
    counts = durations.map { max(1, ($0 + unit / 2) / unit) }
  }

  /// The greatest common divisor of the durations.
  static func unit(of durations: [Int]) -> Int {
    func divisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : divisor(b, a % b) }
    return max(1, durations.reduce(0, divisor))
  }
}
