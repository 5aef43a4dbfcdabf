import Foundation

/// The time and memory of one decode, measured in a new process.
///
/// Two decoders in one process would reuse each other's memory, so this command starts itself with `--once`.
struct SingleDecode: CustomStringConvertible {
  let run: Run
  /// The peak memory minus the memory before the decode. It includes the pixels. For a command, the peak of its
  /// process.
  let peakKiB: Int

  var description: String { "\(run.nanoseconds) \(run.pageFaults) \(peakKiB)" }
  var peakMiB: Double { Double(peakKiB) / 1024 }

  /// Decodes in this process.
  static func measure(_ file: String, by side: Side, _ setup: Setup) throws -> SingleDecode {
    let libwebp = side == .libwebp && setup.kind != .png ? try setup.loadLibWebP() : nil
    let input = try InputFile(file, setup)
    // Reading the file does not count. The caller's memory counts, because its pages are first touched by decoding.
    forgetPeakMemory()
    let before = peakMemoryKiB()
    var contestant = try input.contestant(side, setup, libwebp)
    let run = try Run.measure(&contestant, setup.clock)
    let peak = setup.kind == .png ? peakMemoryOfChildrenKiB() : peakMemoryKiB() - before
    return SingleDecode(run: run, peakKiB: peak)
  }

  /// Decodes in a new process.
  static func run(_ file: String, by side: Side, _ setup: Setup) throws -> SingleDecode {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["--once", side.rawValue] + setup.arguments + ["--", file]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    guard process.terminationStatus == 0, numbers.count == 3 else {
      throw BenchError("a process for a single decode failed")
    }
    return SingleDecode(run: Run(nanoseconds: numbers[0], pageFaults: numbers[1]), peakKiB: numbers[2])
  }
}
