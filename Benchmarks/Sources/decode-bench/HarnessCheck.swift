/// Checks that the command measures what it reports, by a race of contestants of known cost.
enum HarnessCheck {
  static func run() throws {
    var races = [try Race("known cost", Filler(times: 1), Filler(times: 2))]
    try Race.run(&races, seconds: 0.5)
    let result = try races[0].result()
    let ratio = result.libwebp.median / result.ours.median
    guard (1.7...2.3).contains(ratio) else {
      throw BenchError("the ratio of a contestant that does the work of another one twice is \(ratio)")
    }
    for faults in [result.ours.pageFaults, result.libwebp.pageFaults] where faults > 16 {
      throw BenchError("a run that uses no new memory has \(faults) page faults")
    }
  }
}

/// A contestant that writes to the beginning of a large array. A copy of the array would take most of the time.
private struct Filler: Contestant {
  private var pixels = [UInt8](repeating: 1, count: 16 << 20)
  private let times: Int
  private var filled = 0

  init(times: Int) { self.times = times }

  mutating func begin() { filled = 0 }

  mutating func next() -> Bool {
    if filled == times { return false }
    filled += 1
    // Each value depends on the previous one, so the time is proportional to their number.
    var random: UInt32 = 1
    for step in 0..<20_000 {
      random = random &* 1_664_525 &+ 1_013_904_223
      pixels[step & 4095] = UInt8(random >> 24)
    }
    return true
  }

  func withPixels<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) throws -> Value {
    try unsafe pixels.withUnsafeBytes(body)
  }
}
