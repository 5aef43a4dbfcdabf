import Foundation

/// The cost of one run.
struct Run {
  let nanoseconds: Int
  /// The pages of memory that this process touched for the first time in the run.
  let pageFaults: Int

  static func measure(_ contestant: inout any Contestant, _ clock: Clock) throws -> Run {
    let before = pageFaultsOfProcess()
    let nanoseconds = try timedRun(&contestant, clock)
    return Run(nanoseconds: nanoseconds, pageFaults: pageFaultsOfProcess() - before)
  }
}

/// Runs one decode and returns its time. For `check-instructions`, Callgrind counts only inside of this function.
@inline(never)
private func timedRun(_ contestant: inout any Contestant, _ clock: Clock) throws -> Int {
  let start = clock.nanoseconds()
  try contestant.decode()
  return clock.nanoseconds() - start
}

private func pageFaultsOfProcess() -> Int {
  var usage = rusage()
  unsafe getrusage(numericCast(0), &usage)  // RUSAGE_SELF, whose type differs between systems.
  return usage.ru_minflt
}
