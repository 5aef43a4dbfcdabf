// Unsafe code: Batches are in one allocation. A lock decides which thread owns which batch.

#if canImport(Dispatch) && !hasFeature(Embedded)
  import Dispatch
#endif

/// Batches of work that pass through stages in order. Several threads can run the stages at the same time.
struct StagedPipeline<Batch: Sendable>: Sendable {
  private var batches: ContiguousArray<Batch>
  private var schedule: StageSchedule
  #if canImport(Dispatch) && !hasFeature(Embedded)
    /// Nil before several threads are needed. Copies of the pipeline share the helpers.
    private var helpers: HelperThreads?
  #endif

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
  ///   - threads: the maximum number of threads, including the caller's. At most one per stage and one per processor
  ///     is used. A thread waits only if all stages that can continue are running on other threads.
  ///   - work: runs a stage, and returns whether the batch passes on to the next stage. After it has returned false for
  ///     a stage, neither this stage nor an earlier one runs again. State that `work` changes in one stage must not be
  ///     accessed in other stages.
  mutating func run(threads: Int, _ work: (_ stage: Int, _ batch: inout Batch) -> Bool) {
    schedule.resume()
    #if canImport(Dispatch) && !hasFeature(Embedded)
      let threads = min(threads, schedule.stages, HelperThreads.machine.processors)
      if threads > 1 { return runConcurrently(threads: threads, work) }
    #endif
    // The batches are moved, so that they are checked for unique ownership once rather than in each stage.
    var batches = batches.moved()
    defer { self.batches = batches }
    var span = batches.mutableSpan
    while let stage = schedule.next {
      let isFinished = work(stage, &span[schedule.begin(stage)])
      schedule.end(stage, isFinished: isFinished)
    }
  }

  #if canImport(Dispatch) && !hasFeature(Embedded)
    private mutating func runConcurrently(threads: Int, _ work: (Int, inout Batch) -> Bool) {
      let scheduler = PipelineScheduler(schedule)
      let helpers = helpers ?? HelperThreads(maximum: threads - 1)
      self.helpers = helpers
      unsafe batches.withUnsafeMutableBufferPointer { batches in
        // The schedule assigns each batch to one thread at a time.
        nonisolated(unsafe) let batches = unsafe batches
        helpers.perform(threads: threads) {
          scheduler.runWorker { stage, index in unsafe work(stage, &batches[index]) }
        }
      }
      schedule = scheduler.schedule
    }
  #endif
}

#if canImport(Dispatch) && !hasFeature(Embedded)
  /// Assigns stages and batches to threads.
  private final class PipelineScheduler: @unchecked Sendable {
    /// Accessed only by the thread that holds `mutex`.
    private(set) var schedule: StageSchedule
    private var waitingWorkers = 0
    private let mutex = DispatchSemaphore(value: 1)
    private let workAvailable = DispatchSemaphore(value: 0)

    init(_ schedule: StageSchedule) { self.schedule = schedule }

    /// Runs stages until no work is left.
    @inline(never)
    func runWorker(_ work: (_ stage: Int, _ batch: Int) -> Bool) {
      mutex.wait()
      while true {
        if let stage = schedule.next {
          let batch = schedule.begin(stage)
          if schedule.next != nil { wake() }
          mutex.signal()
          let isFinished = work(stage, batch)
          mutex.wait()
          schedule.end(stage, isFinished: isFinished)
        } else if schedule.isAnyBusy {
          waitingWorkers += 1
          mutex.signal()
          workAvailable.wait()
          mutex.wait()
        } else {
          break
        }
      }
      wake()
      mutex.signal()
    }

    /// Wakes one waiting thread. If there is more work, that thread wakes the next one.
    private func wake() {
      guard waitingWorkers > 0 else { return }
      waitingWorkers -= 1
      workAvailable.signal()
    }
  }
#endif

/// Determines which stage may process which batch. Each stage processes the batches in order, one at a time, after the
/// previous stage has finished them. The first stage reuses a batch after the last stage has finished it.
///
///     stage                      0       1       2       3
///     number of batches done     n + 4   n + 2   n + 2   n
///
/// Here, stage 3 may begin batch n, stage 2 must wait for stage 1, and stage 1 may begin batch n + 2. Stage 0 may begin
/// batch n + 4 if there are more than four batches.
struct StageSchedule {
  /// At most four.
  let stages: Int
  private let batches: Int
  /// The number of batches that each stage has finished. A vector, which is not allocated, in place of an array.
  private var done = SIMD4<Int>()
  /// Stage n is busy if bit n is set.
  private var busy = 0
  /// The stages before this one begin no further batches.
  private var firstActiveStage = 0

  init(stages: Int, batches: Int) {
    self.batches = batches
    precondition(stages <= 4)
    self.stages = stages
  }

  /// The index of the batch that the last stage processes next.
  var nextDone: Int { done[stages - 1] % batches }
  var isAnyBusy: Bool { busy != 0 }
  /// The first stage that can begin. Early stages take precedence, because they do most of the work and the other
  /// stages depend on them.
  var next: Int? { (0..<stages).first { mayBegin($0) } }

  private func mayBegin(_ stage: Int) -> Bool {
    let end = stage == 0 ? done[stages - 1] + batches : done[stage - 1]
    return stage >= firstActiveStage && busy & 1 << stage == 0 && done[stage] < end
  }

  /// Marks a stage as busy, and returns the index of its batch.
  @inline(never)
  mutating func begin(_ stage: Int) -> Int {
    busy |= 1 << stage
    return done[stage] % batches
  }

  /// Marks a stage as idle.
  ///
  /// - Parameter isFinished: whether the stage has finished the batch, which then passes on to the next stage. If not,
  ///   the batch remains with this stage, and neither this stage nor an earlier one begins a batch until `resume`.
  @inline(never)
  mutating func end(_ stage: Int, isFinished: Bool) {
    busy &= ~(1 << stage)
    if isFinished { done[stage] += 1 } else { firstActiveStage = max(firstActiveStage, stage + 1) }
  }

  /// Allows all stages to begin again.
  mutating func resume() { firstActiveStage = 0 }
}
