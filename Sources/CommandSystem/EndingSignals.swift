#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Signals that end no process, and those of which no process learns.
#if canImport(Darwin)
  private let otherSignals = [
    SIGKILL, SIGSTOP, SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH, SIGIO, SIGINFO,
  ]
#else
  private let otherSignals = [SIGKILL, SIGSTOP, SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH]
#endif

/// Has a function called when a signal ends the process, be it one from outside or one that a trap or a lack of memory
/// raises. It may do next to nothing, and calls `endProcess` at last.
func beforeEnd(_ handler: @convention(c) (Int32) -> Void) {
  // Where there are fewer, the others are refused.
  for number: Int32 in 1...64 where !otherSignals.contains(number) {
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
