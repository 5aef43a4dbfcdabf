import Foundation

/// A comparison of two commits of this decoder, for `--against`.
///
/// A worker is built for each commit, from the same program. The workers decode all files alternately, on one thread
/// and on two. So a change of the machine's speed affects both.
struct CommitRace {
  private let files: [String]
  private let own: Worker
  private let other: Worker
  /// The samples by number of threads.
  private var samples: [Int: [Sample]] = [:]

  /// The times of a round, in nanoseconds for each file.
  private struct Sample {
    let own: [Int]
    let other: [Int]
  }

  private static let threadCounts = [1, 2]
  /// The bounds of the groups of files, in milliseconds on one thread.
  private static let bounds = [0, 0.7, 2, 6, .infinity]

  /// - Parameter folder: a checkout of the other commit.
  init(_ files: [String], against folder: String) throws {
    self.files = files
    // The decoder's package is the parent folder of the benchmarks.
    own = try Worker(files, decoder: URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardized)
    other = try Worker(files, decoder: URL(fileURLWithPath: folder))
    for (file, checksums) in zip(files, zip(own.checksums, other.checksums)) where checksums.0 != checksums.1 {
      throw BenchError("\(file): the pixels differ")
    }
  }

  /// Runs rounds until the time is up, at least ten.
  mutating func run(seconds: Double) throws {
    let end = DispatchTime.now() + seconds
    var rounds = 0
    while rounds < 10 || DispatchTime.now() < end {
      for threads in Self.threadCounts {
        let sample: Sample
        if rounds % 2 == 0 {
          let own = try own.decode(threads: threads)
          sample = Sample(own: own, other: try other.decode(threads: threads))
        } else {
          let other = try other.decode(threads: threads)
          sample = Sample(own: try own.decode(threads: threads), other: other)
        }
        samples[threads, default: []].append(sample)
      }
      rounds += 1
      FileHandle.standardError.write(Data("\rround \(rounds)".utf8))
    }
    FileHandle.standardError.write(Data("\n".utf8))
  }

  /// A table of the ratios.
  ///
  ///     this commit's time divided by the other's, in 80 rounds
  ///                             one thread               two threads
  ///     time           files  minimum median highest  minimum median highest
  ///     0.7 to 2 ms       20    1.001  1.000   1.010    1.003  1.001   1.024
  var table: String {
    let times = files.indices.map { minimum(of: \.other, $0, threads: 1) / 1e6 }
    let groups = zip(Self.bounds, Self.bounds.dropFirst()).map { lower, upper in
      line(Self.title(lower, upper), files.indices.filter { times[$0] >= lower && times[$0] < upper })
    }
    let rounds = samples[1]?.count ?? 0
    return """
      This commit's time divided by the other's, in \(rounds) rounds. Means of the files: of the minimum of each file,
      of the median of its ratios by round, and the highest median.
                              one thread                two threads
      time           files  minimum  median highest  minimum  median highest

      """ + (groups + [line("all", Array(files.indices))]).compactMap(\.self).joined(separator: "\n")
  }

  private static func title(_ lower: Double, _ upper: Double) -> String {
    if lower == 0 { return String(format: "below %g ms", upper) }
    return upper.isFinite ? String(format: "%g to %g ms", lower, upper) : String(format: "from %g ms", lower)
  }

  private func line(_ title: String, _ group: [Int]) -> String? {
    guard !group.isEmpty else { return nil }
    let columns = Self.threadCounts.map { threads in
      let minima = group.map { file in
        minimum(of: \.own, file, threads: threads) / minimum(of: \.other, file, threads: threads)
      }
      let medians = group.map { file in
        let ratios = (samples[threads] ?? []).map { Double($0.own[file]) / Double($0.other[file]) }.sorted()
        return ratios[ratios.count / 2]
      }
      return String(format: "%9.3f%8.3f%8.3f", mean(minima), mean(medians), medians.max() ?? 0)
    }
    let name = title.padding(toLength: 15, withPad: " ", startingAt: 0)
    return name + String(format: "%5d", group.count) + columns.joined()
  }

  private func minimum(of side: KeyPath<Sample, [Int]>, _ file: Int, threads: Int) -> Double {
    Double((samples[threads] ?? []).map { $0[keyPath: side][file] }.min() ?? 0)
  }

  /// The geometric mean.
  private func mean(_ ratios: [Double]) -> Double { exp(ratios.map(log).reduce(0, +) / Double(ratios.count)) }
}

/// A process that decodes files with one commit of the decoder.
private final class Worker {
  private let process = Process()
  private let (input, output) = (Pipe(), Pipe())
  private var received = Data()
  private(set) var checksums: [String] = []

  /// Builds and starts the worker.
  ///
  /// - Parameter decoder: the folder of the decoder's package. The build is in its `.build`.
  init(_ files: [String], decoder: URL) throws {
    process.executableURL = try Self.build(decoder)
    process.arguments = files
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    checksums = try numbers().map(String.init)
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
    if let program = process.executableURL { try? FileManager.default.removeItem(at: program) }
  }

  private static func build(_ decoder: URL) throws -> URL {
    let scratch = decoder.appendingPathComponent(".build/decode-worker")
    let package = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Worker").standardized
    let build = Process()
    build.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    build.arguments = ["swift", "build", "-c", "release", "--package-path", package.path]
    build.arguments? += ["--scratch-path", scratch.path]
    build.environment = ProcessInfo.processInfo.environment.merging(["DECODER": decoder.path]) { $1 }
    build.standardOutput = FileHandle.standardError
    try build.run()
    build.waitUntilExit()
    guard build.terminationStatus == 0 else { throw BenchError("cannot build a worker for \(decoder.path)") }
    // A copy, because a file that was just linked can be slower.
    let copy = FileManager.default.temporaryDirectory.appendingPathComponent("decode-worker-\(UUID())")
    try FileManager.default.copyItem(at: scratch.appendingPathComponent("release/decode-worker"), to: copy)
    return copy
  }

  /// Decodes all files, and returns the nanoseconds for each.
  func decode(threads: Int) throws -> [Int] {
    try input.fileHandleForWriting.write(contentsOf: Data("\(threads)\n".utf8))
    return try numbers().compactMap { Int($0) }
  }

  /// Reads a line, which is an array of numbers.
  private func numbers() throws -> [Substring] {
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        defer { received = Data(received[(end + 1)...]) }
        return String(decoding: received[..<end], as: UTF8.self).split { !$0.isNumber }
      }
      let part = output.fileHandleForReading.availableData
      guard !part.isEmpty else { throw BenchError("a worker ended early") }
      received += part
    }
  }
}
