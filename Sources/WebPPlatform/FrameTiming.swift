import PureWebP

extension WebP.Animation {
  /// The longest time, in milliseconds, that all durations are multiples of.
  public var frameTimeUnit: Int { FrameRepeats.unit(of: frames.map(\.shownDuration)) }

  /// Which frame is shown `milliseconds` after the start; the last one when all loops are over.
  public func frameIndex(at milliseconds: Int) -> Int {
    let total = frames.reduce(0 as Int64) { $0 + Int64($1.shownDuration) }
    guard total > 0, milliseconds >= 0 else { return 0 }
    if loopCount > 0, Int64(milliseconds) / total >= loopCount { return frames.count - 1 }
    var rest = Int64(milliseconds) % total
    for (index, frame) in frames.enumerated() {
      rest -= Int64(frame.shownDuration)
      if rest < 0 { return index }
    }
    return frames.count - 1
  }
}

/// How often to repeat each frame for a player that shows all it gets for the same time.
///
///     durations   100 300 100 ms                  unit 100 ms, counts 1 3 1
///                 16777215 11 ms, at most 100     unit 167773 ms, counts 100 1
struct FrameRepeats: Equatable {
  /// How long each repetition is shown, in milliseconds.
  let unit: Int
  /// How often each frame is shown.
  let counts: [Int]

  /// - Parameters:
  ///   - durations: in milliseconds, above 0.
  ///   - maximum: how many repetitions there may be beyond one for each frame. Where more would be needed for exact times,
  ///     times become multiples of a longer unit, and the shortest ones longer.
  init(_ durations: [Int], atMost maximum: Int = 10_000) {
    let total = durations.reduce(0 as Int64) { $0 + Int64($1) }
    let unit = max(Self.unit(of: durations), Int(clamping: (total + Int64(maximum) - 1) / Int64(maximum)))
    self.unit = unit
    counts = durations.map { max(1, ($0 + unit / 2) / unit) }
  }

  /// The longest time that all of them are multiples of.
  static func unit(of durations: [Int]) -> Int {
    func divisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : divisor(b, a % b) }
    return max(1, durations.reduce(0, divisor))
  }
}
