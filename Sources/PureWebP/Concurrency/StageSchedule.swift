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
  mutating func begin(_ stage: Int) -> Int {
    busy |= 1 << stage
    return done[stage] % batches
  }

  /// Marks a stage as idle.
  ///
  /// - Parameter isFinished: whether the stage has finished the batch, which then passes on to the next stage. If not,
  ///   the batch remains with this stage, and neither this stage nor an earlier one begins a batch until `resume`.
  mutating func end(_ stage: Int, isFinished: Bool) {
    busy &= ~(1 << stage)
    if isFinished { done[stage] += 1 } else { firstActiveStage = max(firstActiveStage, stage + 1) }
  }

  /// Allows all stages to begin again.
  mutating func resume() { firstActiveStage = 0 }
}
