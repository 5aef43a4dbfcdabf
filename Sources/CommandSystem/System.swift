// Services of the operating system that swift-system does not provide. Foundation is not used, because loading it takes
// longer than decoding an icon. All calls of C functions that the program makes are in this folder.

import Dispatch
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The words of the command line, beginning with the program's name.
///
/// Unlike the words of `CommandLine`, they preserve bytes that are not UTF-8.
package var commandLineWords: [String] {
  (0..<Int(CommandLine.argc)).compactMap { index in
    guard let word = unsafe CommandLine.unsafeArgv[index] else { return nil }
    return unsafe String(systemWord: word)
  }
}

package func environment(_ name: String) -> String? {
  guard let value = unsafe getenv(name) else { return nil }
  return unsafe String(systemWord: value)
}

extension String {
  /// - Parameter word: a null-terminated string.
  @unsafe init(systemWord word: UnsafePointer<CChar>) {
    self.init(systemBytes: unsafe Array(UnsafeRawBufferPointer(start: word, count: strlen(word))))
  }
}

/// The time of a monotonic clock, in seconds.
package var secondsNow: Double {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Writes text to standard output immediately and without escaping.
package func printOutput(_ text: String) throws {
  ProgressLine.clear()
  _ = try FileDescriptor.standardOutput.writeAll(text.systemBytes)
}

/// Text on standard output that is completed even if a signal ends the process.
package enum UnfinishedOutput {
  /// Held while text is written, and forever after the text has been completed for a signal.
  private static let writing = DispatchSemaphore(value: 1)
  /// Accessed by the thread that holds `writing`.
  nonisolated(unsafe) private static var end: String?

  /// Writes text.
  ///
  /// - Parameter end: the text that a signal adds from now on.
  package static func write(_ text: String, end: String?) throws {
    writing.wait()
    defer { writing.signal() }
    try printOutput(text)
    unsafe self.end = end
  }

  /// Completes the text. If its reader has stopped reading, this is omitted.
  static func complete() {
    guard writing.wait(timeout: .now() + .milliseconds(200)) == .success else { return }
    guard let end = unsafe end, FileDescriptor.standardOutput.canWrite else { return }
    _ = try? FileDescriptor.standardOutput.writeAll(end.systemBytes)
  }
}

package func exitProcess(_ status: Int32) -> Never { exit(status) }

/// Parses the number at the beginning of `text` like C's `strtoul`, and truncates it to 32 bits. For
/// example, with base 0, 12, 014 and 0xc are the same number. Text after the number is ignored. Returns nil if `text`
/// does not begin with a number.
package func cNumber(_ text: String, base: Int32 = 0) -> Int32? {
  unsafe text.cString.withUnsafeBufferPointer { word in
    var end: UnsafeMutablePointer<CChar>?
    let number = unsafe strtoul(word.baseAddress!, &end, base)
    return unsafe UnsafePointer(end) == word.baseAddress ? nil : Int32(truncatingIfNeeded: number)
  }
}

// MARK: Standard streams

extension FileDescriptor {
  /// Reserves the file descriptors of closed standard streams. Must be called before any file is opened.
  ///
  /// The next file that is opened would otherwise get the descriptor of the closed stream, and receive its output.
  /// Reading and writing a reserved descriptor fails, as it does for a closed stream.
  package static func reserveClosedStreams() {
    for stream in [standardInput, .standardOutput, .standardError] where fcntl(stream.rawValue, F_GETFD) < 0 {
      _ = try? open(FilePath("/dev/null"), stream == .standardInput ? .writeOnly : .readOnly)
    }
  }

  /// Indicates whether the stream accepts bytes within 200 ms.
  var canWrite: Bool {
    var request = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&request, 1, 200) > 0
  }

  /// Indicates whether the stream is a terminal.
  package var isTerminal: Bool { isatty(rawValue) == 1 }

  /// Reads the next bytes into `bytes` from index `start` on.
  ///
  /// - Returns: the number of bytes that were read, or 0 at the end.
  func read(into bytes: inout [UInt8], from start: Int) throws -> Int {
    try unsafe bytes.withUnsafeMutableBytes { buffer in
      try unsafe read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[start...]))
    }
  }
}

// MARK: Memory

/// The number of bytes that this process may still allocate, as its resource limits (`ulimit -v`, `ulimit -d`) specify.
/// Nil if there is no limit.
package var availableMemory: Int? {
  let limits = limitedResources.map(limit)
  guard limits.contains(where: { $0 != nil }) else { return nil }
  // The size of the address space and the size of the data, in pages (proc(5), statm).
  let pages = processStatus.split { $0 == UInt8(ascii: " ") }.map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
  let used = pages.count > 5 ? [pages[0], pages[5]].map { $0 * sysconf(Int32(_SC_PAGESIZE)) } : [0, 0]
  return zip(limits, used).compactMap { limit, used in limit.map { max(0, $0 - used) } }.min()
}

private var processStatus: [UInt8] {
  guard var file = try? InputFile("/proc/self/statm") else { return [] }
  return (try? file.readAll(limit: 256)) ?? []
}

#if canImport(Glibc)
  private let limitedResources = [RLIMIT_AS, RLIMIT_DATA].map { Int32($0.rawValue) }
#else
  private let limitedResources = [RLIMIT_AS, RLIMIT_DATA]
#endif

private func limit(_ resource: Int32) -> Int? {
  var limits = rlimit()
  guard unsafe getrlimit(resource, &limits) == 0, limits.rlim_cur < rlim_t(Int.max) else { return nil }
  return Int(limits.rlim_cur)
}
