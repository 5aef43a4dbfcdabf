// What the programs here ask of the operating system: files, the terminal, the clock. Without Foundation, which would take
// longer to load than an icon takes to decode. All calls into C that the programs make are in this folder.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The words of the command line, the program's name first.
///
/// Not those of `CommandLine`, in which bytes that are no UTF-8 are no more what they were.
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

var processIdentifier: Int32 { getpid() }

/// Seconds since some moment, which never go back.
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

/// To standard output, at once, as it is.
package func printOutput(_ text: String) throws(SystemError) {
  try FileDescriptor.standardOutput.write(text.systemBytes)
}

package func exitProcess(_ status: Int32) -> Never { exit(status) }
