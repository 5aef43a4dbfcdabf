import ArgumentParser
import CommandSystem
import PureWebP

/// The number of threads, as an option of a command.
struct ThreadOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The maximum number of threads, at most 64. It does not change the output.", valueName: "n"))
  var threads: Int?

  func validate() throws {
    if let threads, threads < 1 { throw ValidationError("--threads must be at least 1") }
  }

  var value: WebP.Threads { threads.map { .atMost($0) } ?? .automatic }

  /// Does jobs on several threads, and passes their results on in the order of the jobs.
  ///
  /// - Parameters:
  ///   - work: does a job with the given threads, which are a share of these if there are several jobs.
  ///   - receive: is called on the caller's thread. Returns false to begin no further jobs.
  func forEach<Job: Sendable, Result: Sendable>(
    _ jobs: [Job], work: @escaping @Sendable (Job, ThreadOptions) -> Result, receive: (Result) -> Bool
  ) {
    // Under a limit on memory, one job at a time uses all threads. Otherwise the order in which jobs allocate memory
    // would decide which of them fails.
    let workers = availableMemory == nil ? max(1, min(threads ?? processorCount, jobs.count)) : 1
    var share = self
    if workers > 1 { share.threads = max(1, value.count / workers) }
    var queue = OrderedWorkQueue<Result>(threads: workers)
    var remaining = jobs[...]
    while true {
      // The number of queued jobs is bounded, so that memory does not grow with the number of inputs.
      while queue.count < 4 * workers, let job = remaining.popFirst() {
        queue.add { [share] in work(job, share) }
      }
      guard let result = queue.next() else { return }
      if !receive(result) { remaining = [] }
    }
  }
}
