import Foundation

/// A comparison of both decoders on one file.
struct Race {
  private let file: String
  private let megapixels: Double
  private let setup: Setup
  private let inNewProcesses: Bool
  private var ours: any Contestant
  private var libwebp: any Contestant
  private let peaks: (ours: SingleDecode, libwebp: SingleDecode)
  private let haveSameFrames: Bool
  private var samples: (ours: [Int], libwebp: [Int]) = ([], [])

  /// Compares the outputs of both decoders, and measures their memory.
  init(_ file: String, _ setup: Setup, _ libwebp: LibWebP?, inNewProcesses: Bool) throws {
    let input = try InputFile(file, setup)
    self.file = file
    self.setup = setup
    self.inNewProcesses = inNewProcesses
    megapixels = input.megapixels
    ours = try input.contestant(.ours, setup, libwebp)
    self.libwebp = try input.contestant(.libwebp, setup, libwebp)
    haveSameFrames = try Self.haveSameFrames(&ours, &self.libwebp)
    peaks = (try SingleDecode.run(file, by: .ours, setup), try SingleDecode.run(file, by: .libwebp, setup))
  }

  /// Runs all races until the time is up, at least five rounds. In a round, one decoder decodes all files, and then the
  /// other one does. The processor learns the branches of a small file that is decoded again and again, which is
  /// unlike any use of a decoder.
  static func run(_ races: inout [Race], seconds: Double) throws {
    let end = DispatchTime.now() + seconds
    var rounds = 0
    while rounds < 5 || DispatchTime.now() < end {
      for side in rounds % 2 == 0 ? [Side.ours, .libwebp] : [.libwebp, .ours] {
        for index in races.indices { try races[index].decode(by: side) }
      }
      rounds += 1
    }
  }

  private mutating func decode(by side: Side) throws {
    switch side {
    case .ours: samples.ours.append(try time(of: side, &ours))
    case .libwebp: samples.libwebp.append(try time(of: side, &libwebp))
    }
  }

  private func time(of side: Side, _ contestant: inout any Contestant) throws -> Int {
    inNewProcesses ? try SingleDecode.run(file, by: side, setup).nanoseconds : try timedRun(&contestant, setup.clock)
  }

  /// Compares the last images too.
  func result() throws -> RaceResult {
    let haveSameImage = try inNewProcesses || setup.kind != .image || Self.haveSamePixels(ours, libwebp)
    return RaceResult(
      file: file, megapixels: megapixels, threads: setup.threads, ours: Times(nanoseconds: samples.ours),
      libwebp: Times(nanoseconds: samples.libwebp), oursPeakMiB: peaks.ours.peakMiB,
      libwebpPeakMiB: peaks.libwebp.peakMiB, oursBytes: (ours as? Command)?.fileSize,
      libwebpBytes: (libwebp as? Command)?.fileSize, same: haveSameFrames && haveSameImage)
  }

  /// Runs both decoders once, image by image, and compares the pixels.
  private static func haveSameFrames(_ one: inout any Contestant, _ other: inout any Contestant) throws -> Bool {
    try one.begin()
    try other.begin()
    var same = true
    while true {
      let hasNext = (try one.next(), try other.next())
      guard hasNext == (true, true) else { return same && hasNext == (false, false) }
      same = try same && haveSamePixels(one, other)
    }
  }

  private static func haveSamePixels(_ one: any Contestant, _ other: any Contestant) throws -> Bool {
    try unsafe one.withPixels { one in
      try unsafe other.withPixels { other in
        guard one.count == other.count, let a = one.baseAddress, let b = other.baseAddress else { return false }
        return unsafe memcmp(a, b, one.count) == 0
      }
    }
  }
}
