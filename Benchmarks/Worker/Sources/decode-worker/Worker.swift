import Foundation
import PureWebP

/// Decodes files on request, and measures each decode:
///
///     decode-worker FILE …
///
/// Prints an array with a checksum of the pixels of each file. Each line of standard input is a number of threads. The
/// worker then decodes each file once, and prints an array of nanoseconds. On one thread, these are processor times of
/// the process, as in decode-bench.
@main
struct Worker {
  private let files: [[UInt8]]
  /// The pixels of each file. The memory is used in each decode.
  private var images: [[UInt8]]

  static func main() throws {
    var worker = try Self(CommandLine.arguments.dropFirst())
    _ = try worker.decode(threads: 2)
    print(worker.images.map { $0.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 } })
    fflush(nil)
    while let line = readLine(), let threads = Int(line) {
      print(try worker.decode(threads: threads))
      fflush(nil)
    }
  }

  private init(_ paths: some Sequence<String>) throws {
    files = try paths.map { [UInt8](try Data(contentsOf: URL(fileURLWithPath: $0))) }
    images = try files.map { file in
      let info = try WebP.info(file)
      return [UInt8](repeating: 0, count: 4 * info.width * info.height)
    }
  }

  private mutating func decode(threads: Int) throws -> [Int] {
    var options = WebP.DecodeOptions()
    options.threads = .atMost(threads)
    let clock = threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC
    return try files.indices.map { index in
      let start = Self.nanoseconds(clock)
      try WebP.decode(files[index], into: &images[index], options: options)
      return Self.nanoseconds(clock) - start
    }
  }

  private static func nanoseconds(_ clock: clockid_t) -> Int {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
