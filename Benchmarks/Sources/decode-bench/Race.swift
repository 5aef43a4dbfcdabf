import Foundation

/// A comparison of both decoders on one file.
struct Race {
  private let file: String
  private let setup: Setup
  private let libwebp: LibWebP?
  private let seconds: Double
  private let inNewProcesses: Bool

  init(_ file: String, _ setup: Setup, _ libwebp: LibWebP?, seconds: Double, inNewProcesses: Bool) {
    self.file = file
    self.setup = setup
    self.libwebp = libwebp
    self.seconds = seconds
    self.inNewProcesses = inNewProcesses
  }

  func run() throws -> RaceResult {
    let input = try InputFile(file, setup)
    var ours = try input.contestant(.ours, setup, libwebp)
    var theirs = try input.contestant(.libwebp, setup, libwebp)
    var same = try haveSameFrames(&ours, &theirs)
    let sizes = ((ours as? Command)?.fileSize, (theirs as? Command)?.fileSize)

    let peaks = (
      ours: try SingleDecode.run(file, by: .ours, setup), libwebp: try SingleDecode.run(file, by: .libwebp, setup)
    )
    var times: (ours: Times, libwebp: Times)
    if inNewProcesses {
      times = try byTurns(
        { try SingleDecode.run(file, by: .ours, setup).nanoseconds },
        { try SingleDecode.run(file, by: .libwebp, setup).nanoseconds })
    } else {
      times = try byTurns({ try timedRun(&ours, setup.clock) }, { try timedRun(&theirs, setup.clock) })
      if setup.kind == .image { same = try same && haveSamePixels(ours, theirs) }
    }
    return RaceResult(
      file: file, megapixels: input.megapixels, threads: setup.threads, ours: times.ours,
      libwebp: times.libwebp, oursPeakMiB: peaks.ours.peakMiB, libwebpPeakMiB: peaks.libwebp.peakMiB,
      oursBytes: sizes.0, libwebpBytes: sizes.1, same: same)
  }

  /// Runs both decoders alternately until the time is up, at least five times each. The order changes in each round.
  private func byTurns(
    _ ours: () throws -> Int, _ libwebp: () throws -> Int
  ) throws -> (ours: Times, libwebp: Times) {
    var samples: (ours: [Int], libwebp: [Int]) = ([], [])
    let end = DispatchTime.now() + seconds
    while samples.ours.count < 5 || DispatchTime.now() < end {
      let oursFirst = samples.ours.count % 2 == 0
      if oursFirst { samples.ours.append(try ours()) }
      samples.libwebp.append(try libwebp())
      if !oursFirst { samples.ours.append(try ours()) }
    }
    return (Times(nanoseconds: samples.ours), Times(nanoseconds: samples.libwebp))
  }

  /// Runs both decoders once, image by image, and compares the pixels.
  private func haveSameFrames(_ one: inout any Contestant, _ other: inout any Contestant) throws -> Bool {
    try one.begin()
    try other.begin()
    var same = true
    while true {
      let hasNext = (try one.next(), try other.next())
      guard hasNext == (true, true) else { return same && hasNext == (false, false) }
      same = try same && haveSamePixels(one, other)
    }
  }

  private func haveSamePixels(_ one: any Contestant, _ other: any Contestant) throws -> Bool {
    try unsafe one.withPixels { one in
      try unsafe other.withPixels { other in
        guard one.count == other.count, let a = one.baseAddress, let b = other.baseAddress else { return false }
        return unsafe memcmp(a, b, one.count) == 0
      }
    }
  }
}
