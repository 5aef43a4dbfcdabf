// Unsafe code: Other threads call a closure only while a stage is busy. The function returns when none is, so the
// closure does not escape.

/// One run of a pipeline, on the caller's thread and on helpers.
///
/// A thread that has finished a stage begins the next one. If another stage can begin at the same time, the thread
/// resumes another one: the caller's, if it waits, or else a helper.
final class PipelineRun: SharedWork, @unchecked Sendable {
  // The monitor protects all properties, except that threads call `work` without holding it.
  private(set) var schedule: StageSchedule
  /// Runs a stage. Nil after the run has ended.
  private var work: (@Sendable (_ stage: Int, _ batch: Int) -> Bool)?
  /// The number of helpers that can be requested.
  private var freeHelpers: Int
  private var isCallerWaiting = false

  init(_ schedule: StageSchedule, helpers: Int) {
    self.schedule = schedule
    freeHelpers = helpers
  }

  /// Runs stages until none can continue. Called once.
  func finish(_ pool: HelperPool, _ work: (_ stage: Int, _ batch: Int) -> Bool) {
    withoutActuallyEscaping(work) { work in
      // The closure does not escape: no helper uses it while no stage is busy.
      nonisolated(unsafe) let work = work
      #if canImport(CThreads) && hasFeature(Embedded)
        self.work = unsafe StageAttempt.attempts(work)
      #else
        self.work = { unsafe work($0, $1) }
      #endif
      // Before the first stage, because a helper starts late. If there is no work then, it is requested again later.
      monitor.lock()
      requestHelper(pool)
      monitor.lock()
      runStages(pool)
      while schedule.isAnyBusy {
        isCallerWaiting = true
        monitor.wait()
        isCallerWaiting = false
        runStages(pool)
      }
      self.work = nil
      monitor.unlock()
      pool.withdraw(self)
    }
  }

  override func help(_ pool: HelperPool) {
    monitor.lock()
    if work != nil {
      runStages(pool)
      freeHelpers += 1
      if isCallerWaiting, !schedule.isAnyBusy { return monitor.unlockAndSignal() }
    }
    monitor.unlock()
  }

  /// Runs stages until none can begin. The lock is held before and after the call.
  private func runStages(_ pool: HelperPool) {
    while let stage = schedule.next {
      let batch = schedule.begin(stage)
      resumeAnother(pool)
      let isFinished = perform(stage, batch)
      monitor.lock()
      schedule.end(stage, isFinished: isFinished)
    }
  }

  /// Releases the lock, and resumes another thread if a stage can begin.
  private func resumeAnother(_ pool: HelperPool) {
    guard schedule.next != nil else { return monitor.unlock() }
    if isCallerWaiting {
      isCallerWaiting = false
      monitor.unlockAndSignal()
    } else {
      requestHelper(pool)
    }
  }

  /// Releases the lock, and requests a helper if one is free.
  private func requestHelper(_ pool: HelperPool) {
    let isFree = freeHelpers > 0
    if isFree { freeHelpers -= 1 }
    monitor.unlock()
    if isFree { pool.request(self) }
  }

  /// A function, so that a thread has released the closure when it acquires the lock.
  @inline(never)
  private func perform(_ stage: Int, _ batch: Int) -> Bool { work!(stage, batch) }
}
