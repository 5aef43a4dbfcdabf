import Foundation

/// The clock that measures a decode.
enum Clock {
  /// The processor time of all threads of this process, and of child processes that have ended. Other programs on the
  /// machine hardly affect it.
  case processor
  /// The elapsed time.
  case wall

  func nanoseconds() -> Int {
    var time = timespec()
    unsafe clock_gettime(self == .processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time)
    let own = time.tv_sec * 1_000_000_000 + time.tv_nsec
    guard self == .processor else { return own }
    var usage = rusage()
    unsafe getrusage(waitedFor, &usage)
    return [usage.ru_utime, usage.ru_stime].reduce(own) { sum, part in
      sum + Int(part.tv_sec) * 1_000_000_000 + Int(part.tv_usec) * 1000
    }
  }
}

/// `RUSAGE_CHILDREN`, whose type differs between systems.
let waitedFor: Int32 = -1
