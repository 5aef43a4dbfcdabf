#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Signals that end a process from outside.
let signalsFromOutside = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

/// Has a function called when one of the signals ends the process. It may do next to nothing, and calls `endProcess` at last.
func beforeEnd(by signals: [Int32], _ handler: @convention(c) (Int32) -> Void) {
  for number in signals {
    let previous = signal(number, handler)
    // What nohup, or a shell for its background, has the program ignore, it goes on to ignore.
    let wasIgnored = unsafe unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    if wasIgnored { signal(number, SIG_IGN) }
  }
}

/// Ends the process as the signal would have.
func endProcess(by number: Int32) {
  signal(number, SIG_DFL)
  raise(number)
}
