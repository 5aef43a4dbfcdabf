#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Signals that do not end a process, and signals that a process cannot handle.
#if canImport(Darwin)
  private let otherSignals = [
    SIGKILL, SIGSTOP, SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH, SIGIO, SIGINFO,
  ]
#else
  private let otherSignals = [SIGKILL, SIGSTOP, SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH]
#endif

/// Installs a handler for all signals that end the process. Other processes or the system can send them, and a trap in
/// the program raises one.
///
/// The handler may call only async-signal-safe functions, and calls ``terminate(by:)`` last.
func beforeTermination(_ handler: @convention(c) (Int32) -> Void) {
  // For numbers that the system does not support, `signal` fails without effect.
  for number: Int32 in 1...64 where !otherSignals.contains(number) {
    let previous = signal(number, handler)
    // If nohup or a shell made the process ignore a signal, the process must still ignore it.
    let wasIgnored = unsafe unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    if wasIgnored { signal(number, SIG_IGN) }
  }
}

/// Ends the process as if the signal had no handler.
func terminate(by number: Int32) {
  signal(number, SIG_DFL)
  raise(number)
}
