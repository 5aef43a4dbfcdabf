import Foundation

/// What time a decode takes.
enum Clock {
  /// Of the processor, by all threads of this process: what else goes on in the machine counts little.
  case processor
  /// For whoever waits.
  case wall

  func nanoseconds() -> Int {
    var time = timespec()
    unsafe clock_gettime(self == .processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
