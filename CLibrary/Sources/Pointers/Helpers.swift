// The helper threads of the option `use_threads`. They work for one run of a pipeline, and end before it does, because
// programs unload libraries. So a failed allocation of a helper is reported on the caller's thread.
//
// Unsafe code: a stage is a local variable of the function that runs it. The heap is the one of the caller's attempt,
// which ends after the run.

internal import CWebP

extension HelperPool {
  /// The maximum number of helpers of one decode.
  static var limit: Int { Processors.available - 1 }

  static func use(helpers: Int, _ body: (HelperPool) -> Void) {
    // The threads do not end before they are joined.
    body(HelperPool(maximum: helpers, idleNanoseconds: 1 << 60))
  }

  /// Ends all helpers, because the only run has ended. Reports a failed allocation of any thread.
  func withdraw(_ work: SharedWork) {
    end()
    if unsafe webp_heap()?.pointee.failed == 1 { webp_escape() }
  }
}

/// One execution of a stage, as an attempt of its thread.
@safe struct StageAttempt {
  private let work: (_ stage: Int, _ batch: Int) -> Bool
  private let stage: Int
  private let batch: Int
  private var isFinished = false

  /// A closure that calls `work`, and returns false too if an allocation has failed. The stage then ends like one that
  /// needs more bytes.
  static func attempts(_ work: @escaping (_ stage: Int, _ batch: Int) -> Bool) -> @Sendable (Int, Int) -> Bool {
    nonisolated(unsafe) let (work, heap) = unsafe (work, webp_heap())
    return { stage, batch in
      guard let heap = unsafe heap else { return false }
      var attempt = unsafe StageAttempt(work: work, stage: stage, batch: batch)
      _ = unsafe withUnsafeMutablePointer(to: &attempt) { attempt in
        unsafe webp_attempt(
          heap,
          {
            let attempt = unsafe $0.assumingMemoryBound(to: StageAttempt.self)
            let (stage, batch) = unsafe (attempt.pointee.stage, attempt.pointee.batch)
            unsafe attempt.pointee.isFinished = unsafe attempt.pointee.work(stage, batch)
          }, attempt)
      }
      return attempt.isFinished
    }
  }
}
