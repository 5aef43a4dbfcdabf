import PureWebP

extension WebP.Animation.Frame {
  /// How long the frame is shown, in milliseconds.
  public var shownDuration: Int { info.shownDuration }
}

extension WebP.Animation.FrameInfo {
  /// How long the frame is shown, in milliseconds: browsers show frames of 10 ms and less for 100 ms.
  public var shownDuration: Int { duration <= 10 ? 100 : duration }
}

extension WebP.Animation {
  /// The longest time, in milliseconds, that all durations are multiples of.
  public var frameTimeUnit: Int {
    func divisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : divisor(b, a % b) }
    return Swift.max(1, frames.reduce(0) { divisor($0, $1.shownDuration) })
  }

  /// Which frame is shown `milliseconds` after the start; the last one when all loops are over.
  public func frameIndex(at milliseconds: Int) -> Int {
    let total = frames.reduce(0) { $0 + $1.shownDuration }
    guard total > 0, milliseconds >= 0 else { return 0 }
    if loopCount > 0, milliseconds / total >= loopCount { return frames.count - 1 }
    var rest = milliseconds % total
    for (index, frame) in frames.enumerated() {
      rest -= frame.shownDuration
      if rest < 0 { return index }
    }
    return frames.count - 1
  }
}
