import Foundation

/// A comparison of both decoders on one file.
struct Race {
  private let file: String
  private let megapixels: Double
  private let setup: Setup
  private let inNewProcesses: Bool
  private var ours: any Contestant
  private var libwebp: any Contestant
  private let peaks: (ours: Double, libwebp: Double)
  private let haveSameFrames: Bool
  private var samples: (ours: [Run], libwebp: [Run]) = ([], [])

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
    peaks = (
      try SingleDecode.run(file, by: .ours, setup).peakMiB, try SingleDecode.run(file, by: .libwebp, setup).peakMiB
    )
  }

  /// Compares contestants of known cost.
  init(_ title: String, _ one: any Contestant, _ other: any Contestant) throws {
    file = title
    megapixels = 0
    setup = try Setup.parse([])
    inNewProcesses = false
    ours = one
    libwebp = other
    haveSameFrames = true
    peaks = (0, 0)
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
    case .ours: samples.ours.append(try Self.run(file, by: side, setup, inNewProcesses, &ours))
    case .libwebp: samples.libwebp.append(try Self.run(file, by: side, setup, inNewProcesses, &libwebp))
    }
  }

  /// Static, because an instance method would receive a copy of the race, and the pixels of the contestant would have
  /// two owners. The first write of the decoder would copy them.
  private static func run(
    _ file: String, by side: Side, _ setup: Setup, _ inNewProcesses: Bool, _ contestant: inout any Contestant
  ) throws -> Run {
    if inNewProcesses { return try SingleDecode.run(file, by: side, setup).run }
    let mustStay = setup.memory == .reused && setup.kind == .image
    let address = mustStay ? try contestant.address : nil
    let run = try Run.measure(&contestant, setup.clock)
    if mustStay, try contestant.address != address {
      throw BenchError("\(file), \(side): the pixels moved, so the time includes a copy of them")
    }
    return run
  }

  /// Compares the last images too.
  func result() throws -> RaceResult {
    let haveSameImage = try inNewProcesses || setup.kind != .image || Self.haveSamePixels(ours, libwebp)
    return RaceResult(
      file: file, megapixels: megapixels, threads: setup.threads, ours: Costs(samples.ours),
      libwebp: Costs(samples.libwebp), oursPeakMiB: peaks.ours, libwebpPeakMiB: peaks.libwebp,
      oursBytes: (ours as? Command)?.fileSize, libwebpBytes: (libwebp as? Command)?.fileSize,
      same: haveSameFrames && haveSameImage)
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
