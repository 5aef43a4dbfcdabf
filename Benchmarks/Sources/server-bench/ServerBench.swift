import ArgumentParser
import Foundation
import PureWebP
import WebPLoading

/// Measures the latency of other tasks during conversions, and the memory of clients that stop reading.
@main
struct ServerBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "server-bench",
    abstract: "Measures the latency of other tasks and the memory of conversions.",
    subcommands: [Latency.self, Stalled.self, Rows.self])
}

struct Input: ParsableArguments {
  @Argument(help: "A WebP file.")
  var file: String

  @Option(help: "The number of threads of each conversion.")
  var threads = 1

  func read() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: file)) }

  var options: WebP.ConversionOptions {
    var options = WebP.ConversionOptions()
    options.threads = .atMost(threads)
    return options
  }
}

/// A source that never suspends, like a cache in memory.
struct Pieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
  var rest: Data
  /// The number of bytes of each element.
  let size: Int

  func makeAsyncIterator() -> Self { self }

  mutating func next() async -> Data? {
    guard !rest.isEmpty else { return nil }
    defer { rest = rest.dropFirst(size) }
    return rest.prefix(size)
  }
}

struct Latency: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures how late a sleep of 10 ms ends while other tasks convert or decode.")

  @OptionGroup var input: Input

  @Option(help: "The number of tasks that convert at the same time.")
  var tasks = 8

  @Flag(help: "Decode with WebP.updates(from:) instead of converting to PNG.")
  var updates = false

  func run() async throws {
    let webP = try input.read()
    let options = input.options
    let watch = Task {
      var delays: [Duration] = []
      while !Task.isCancelled {
        let start = ContinuousClock.now
        try? await Task.sleep(for: .milliseconds(10))
        delays.append(start.duration(to: .now) - .milliseconds(10))
      }
      return delays.sorted()
    }
    let start = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<tasks {
        group.addTask {
          let pieces = Pieces(rest: webP, size: 1 << 16)
          if updates {
            for try await _ in WebP.updates(from: pieces) {}
          } else {
            for try await _ in WebP.PNGSequence(pieces, options: options) {}
          }
        }
      }
      try await group.waitForAll()
    }
    let time = start.duration(to: .now)
    watch.cancel()
    let delays = await watch.value
    print(
      "\(tasks) tasks in \(time); \(delays.count) sleeps, median delay \(delays[delays.count / 2]),", terminator: " ")
    print("99th percentile \(delays[delays.count * 99 / 100]), longest \(delays.last ?? .zero)")
  }
}

struct Stalled: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures the memory of clients that have read the beginning of a PNG and then stopped.")

  @OptionGroup var input: Input

  @Option(help: "The number of clients.")
  var clients = 24

  @Option(help: "The number of bytes that a client reads before it stops.")
  var bytes = 1 << 20

  func run() async throws {
    let webP = try input.read()
    let before = Memory.now
    var iterators: [WebP.PNGSequence<Pieces>.AsyncIterator] = []
    for _ in 0..<clients {
      var iterator = WebP.PNGSequence(Pieces(rest: webP, size: .max), options: input.options).makeAsyncIterator()
      var read = 0
      while read < bytes, let part = try await iterator.next() { read += part.count }
      iterators.append(iterator)
    }
    let after = Memory.now
    let growth = (after.resident - before.resident) >> 10
    print("\(iterators.count) clients: \(growth) MB, peak of the process \(after.peak >> 10) MB")
  }
}

struct Rows: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures the peak memory of WebP.RowDecoder, without the file.")

  @OptionGroup var input: Input

  @Option(help: "The number of bytes that are appended at a time.")
  var piece = 1 << 15

  func run() throws {
    let webP = try input.read()
    var format = WebP.DecodeOptions()
    format.format = .rgb
    let before = Memory.now
    var decoder = WebP.RowDecoder(options: format)
    var rows = 0
    for start in stride(from: 0, to: webP.count, by: piece) {
      try decoder.append(webP[start..<min(webP.count, start + piece)])
      while let strip = try decoder.nextStrip() { rows = strip.rows.upperBound }
    }
    decoder.finish()
    while let strip = try decoder.nextStrip() { rows = strip.rows.upperBound }
    print(
      "\(rows) rows: peak \(Memory.now.peak - before.resident) KB more than before, of a file of \(webP.count >> 10) KB"
    )
  }
}

/// The resident memory of the process and its peak, in KiB. Zero on systems without /proc.
struct Memory {
  let resident: Int
  let peak: Int

  static var now: Memory {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    func field(_ name: String) -> Int {
      let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
      return Int(line.split { !$0.isNumber }.first ?? "") ?? 0
    }
    return Memory(resident: field("VmRSS"), peak: field("VmHWM"))
  }
}
