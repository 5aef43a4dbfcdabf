// Signals are handled by a thread that waits for them, not by signal handlers. A handler may call only a few functions,
// and could not stop the other threads, which would create further files until the process ends.
//
//     INT, TERM, HUP … ──▶ blocked in all threads ──────────────────┐
//     SEGV, PIPE …     ──▶ handler in the thread that raised them ──┴─▶ waiting thread: lock, undo, end the process

import Dispatch
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The changes to undo when the process ends, even if a signal ends it: incomplete files are removed, empty folders
/// that this process created are removed, and the terminal is reset.
package enum ProcessEnd {
  /// Protects the state below and the state of ``InteractiveTerminal``. A file is created while the lock is held. While
  /// a signal ends the process, the lock is held to the end, so that no file is created anymore.
  private static let lock = DispatchQueue(label: "end of the process")
  nonisolated(unsafe) private static var unfinishedFiles: [FilePath] = []
  /// In the order of creation.
  nonisolated(unsafe) private static var createdFolders: [FilePath] = []
  nonisolated(unsafe) private static var lastNumber = -1
  /// Set before other threads start.
  nonisolated(unsafe) private static var waitingThread: pthread_t?
  /// The signals for which the thread waits. The thread must not compute the set: its first allocation would reserve
  /// 64 MiB of addresses, maybe after the memory for a job has been checked.
  nonisolated(unsafe) private static var awaited = sigset_t()

  /// Calls a function with the lock held. No signal interrupts this thread meanwhile, because the handler of a signal
  /// would wait for a thread that waits for the lock.
  static func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
    try withoutSignals { try lock.sync(execute: body) }
  }

  private static func withoutSignals<Result>(_ body: () throws -> Result) rethrows -> Result {
    var (all, before) = (sigset_t(), sigset_t())
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    return try body()
  }

  // MARK: Files

  /// Creates a temporary file in `folder`, which is removed when the process ends.
  static func createFile(
    in folder: FilePath, permissions: FilePermissions
  ) throws -> (file: FileDescriptor, path: FilePath) {
    try locked {
      while true {
        unsafe lastNumber += 1
        let path = unsafe folder.appending(".webp-\(getpid())-\(lastNumber).part")
        do {
          let file = try FileDescriptor.open(
            path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: permissions)
          unsafe unfinishedFiles.append(path)
          return (file, path)
        } catch Errno.fileExists {
          // A killed process with the same identifier may have left a file of this name.
        }
      }
    }
  }

  static func moveFile(_ path: FilePath, to final: FilePath, replacing: Bool) throws {
    try locked {
      try CommandSystem.moveFile(path, to: final, replacing: replacing)
      unsafe unfinishedFiles.removeAll { $0 == path }
    }
  }

  static func removeFile(_ path: FilePath) {
    locked {
      CommandSystem.removeFile(path)
      unsafe unfinishedFiles.removeAll { $0 == path }
    }
  }

  /// Creates a folder and its parents. If they are empty when the process ends, they are removed.
  static func createFolder(_ path: FilePath) throws {
    guard FileKind(path) != .folder else { return }
    let parent = path.removingLastComponent()
    if !parent.isEmpty { try createFolder(parent) }
    try locked {
      if try makeFolder(path) { unsafe createdFolders.append(resolvingLinks(path)) }
    }
  }

  private static func removeFiles() {
    for file in unsafe unfinishedFiles { CommandSystem.removeFile(file) }
    for folder in unsafe createdFolders.reversed() { removeEmptyFolder(folder) }
  }

  // MARK: Signals

  /// Signals that do not end a process, and signals that a process cannot handle.
  private static let otherSignals: [Int32] = {
    let signals = [SIGKILL, SIGSTOP, SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH]
    #if canImport(Darwin)
      return signals + [SIGIO, SIGINFO]
    #else
      return signals
    #endif
  }()

  /// Signals that the system sends to the thread that caused them.
  private static let ownSignals = [
    SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGPIPE, SIGXFSZ,
  ]

  /// Starts to undo changes at the end of the process. Must be called before other threads start, because they inherit
  /// the set of blocked signals.
  package static func prepare() {
    atexit { ProcessEnd.locked { ProcessEnd.removeFiles() } }
    var blocked = signalSet(endingSignals.filter { !ownSignals.contains($0) })
    unsafe pthread_sigmask(SIG_BLOCK, &blocked, nil)
    guard startWaiting() else {
      unsafe pthread_sigmask(SIG_UNBLOCK, &blocked, nil)
      return
    }
    for number in endingSignals where ownSignals.contains(number) {
      signal(number) { number in
        if let thread = unsafe ProcessEnd.waitingThread { pthread_kill(thread, number) }
        // The waiting thread ends the process meanwhile, unless this thread failed while it held the lock.
        poll(nil, 0, 2000)
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  /// The signals that end the process. If nohup or a shell made the process ignore a signal, the process must still
  /// ignore it.
  private static let endingSignals = (1...64 as ClosedRange<Int32>).filter { number in
    guard !otherSignals.contains(number) else { return false }
    // The Swift runtime may have installed handlers already, which print the stack.
    let previous = unsafe unsafeBitCast(signal(number, SIG_DFL), to: Int.self)
    if unsafe previous == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
    // The system does not support all numbers.
    return unsafe previous != unsafeBitCast(SIG_IGN, to: Int.self) && previous != unsafeBitCast(SIG_ERR, to: Int.self)
  }

  /// Starts the thread that waits for signals.
  ///
  /// - Returns: false if there is no memory for it.
  private static func startWaiting() -> Bool {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    unsafe pthread_attr_setstacksize(&attributes, 1 << 18)
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    unsafe awaited = signalSet(endingSignals + [SIGTSTP, SIGCONT])
    // The thread inherits the set. If it blocked the signals itself, it could receive one before.
    let error = withoutSignals {
      unsafe pthread_create(
        &thread, &attributes,
        { _ in
          ProcessEnd.waitForSignals()
          return nil
        }, nil)
    }
    if error == 0 { unsafe waitingThread = thread }
    return error == 0
  }

  private static func waitForSignals() {
    while true {
      var number: Int32 = 0
      guard unsafe sigwait(&awaited, &number) == 0 else { continue }
      locked {
        switch number {
        case SIGTSTP:
          InteractiveTerminal.leave()
          act(on: number)
          // Afterwards there is a SIGCONT, unless the process was not stopped because it has no shell.
          if !isPending(SIGCONT) { InteractiveTerminal.enter() }
        case SIGCONT: InteractiveTerminal.enter()
        default:
          removeFiles()
          UnfinishedOutput.complete()
          ProgressLine.end()
          InteractiveTerminal.reset()
          act(on: number)
        }
      }
    }
  }

  private static func isPending(_ number: Int32) -> Bool {
    var pending = sigset_t()
    return unsafe sigpending(&pending) == 0 && sigismember(&pending, number) == 1
  }

  /// Performs the default action of a signal: ends or stops the process.
  private static func act(on number: Int32) {
    var set = signalSet([number])
    signal(number, SIG_DFL)
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(number)
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }
}

func signalSet(_ signals: [Int32]) -> sigset_t {
  var set = sigset_t()
  unsafe sigemptyset(&set)
  for signal in signals { unsafe sigaddset(&set, signal) }
  return set
}
