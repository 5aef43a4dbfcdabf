// Services of the operating system that swift-system does not provide. Foundation is not used, because loading it takes
// longer than decoding an icon. All calls of C functions that the program makes are in this folder.

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

/// The time of a monotonic clock, in seconds.
package var secondsNow: Double {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Sleeps until `secondsNow` is `time`.
package func sleep(until time: Double) {
  let left = time - secondsNow
  guard left > 0 else { return }
  var request = timespec()
  request.tv_sec = Int(left)
  request.tv_nsec = Int((left - left.rounded(.down)) * 1e9)
  unsafe nanosleep(&request, nil)
}

/// Writes text to standard output immediately and without escaping.
package func printOutput(_ text: String) throws {
  _ = try FileDescriptor.standardOutput.writeAll(text.systemBytes)
}

package func exitProcess(_ status: Int32) -> Never { exit(status) }

/// The number of processors that the process may use.
package var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
