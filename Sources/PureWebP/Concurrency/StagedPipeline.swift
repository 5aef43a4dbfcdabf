// Unsafe code: Batches are in one allocation. A lock decides which thread owns which batch.

/// Batches of work that pass through stages in order. Several threads can run the stages at the same time.
struct StagedPipeline<Batch: Sendable>: Sendable {
  private var batches: ContiguousArray<Batch>
  private var schedule: StageSchedule
  /// The next stage of a single batch, which needs no schedule.
  private var nextStage = 0

  /// - Parameter batches: one if there is only one thread.
  init(_ batches: ContiguousArray<Batch>, stages: Int) {
    self.batches = batches
    schedule = StageSchedule(stages: stages, batches: batches.count)
  }

  /// The oldest batch still in the pipeline.
  var first: Batch {
    get { batches[schedule.nextDone] }
    _modify { yield &batches[schedule.nextDone] }
  }

  /// Runs the stages until none can continue.
  ///
  /// - Parameters:
  ///   - threads: the maximum number of threads, including the caller's. At most one per stage is used. The caller's
  ///     thread waits only if all stages that can continue are running on other threads.
  ///   - work: runs a stage, and returns whether the batch passes on to the next stage. After it has returned false for
  ///     a stage, neither this stage nor an earlier one runs again. State that `work` changes in one stage must not be
  ///     accessed in other stages.
  mutating func run(threads: Int, _ work: (_ stage: Int, _ batch: inout Batch) -> Bool) {
    if WebP.Threads.areSupported, batches.count > 1 { return runConcurrently(threads: threads, work) }
    // The batch is moved, so that it is checked for unique ownership once rather than in each stage.
    var batches = batches.moved()
    defer { self.batches = batches }
    var span = batches.mutableSpan
    while work(nextStage, &span[0]) { nextStage = nextStage + 1 < schedule.stages ? nextStage + 1 : 0 }
  }

  private mutating func runConcurrently(threads: Int, _ work: (Int, inout Batch) -> Bool) {
    schedule.resume()
    let helpers = min(threads, schedule.stages) - 1
    let run = PipelineRun(schedule, helpers: helpers)
    unsafe batches.withUnsafeMutableBufferPointer { batches in
      // The schedule assigns each batch to one thread at a time.
      nonisolated(unsafe) let batches = unsafe batches
      HelperPool.use(helpers: helpers) { pool in
        run.finish(pool) { stage, index in unsafe work(stage, &batches[index]) }
      }
    }
    schedule = run.schedule
  }
}
