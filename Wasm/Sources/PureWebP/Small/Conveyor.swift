/// In place of Kernels/Conveyor.swift and Threads/StageSchedule.swift: one batch, and one thread that does a stage after
/// the other.
struct Conveyor<Batch: Sendable>: Sendable {
  var first: Batch
  private let stages: Int
  /// The stage that is to be done next.
  private var stage = 0

  init(_ batches: ContiguousArray<Batch>, stages: Int) {
    first = batches[0]
    self.stages = stages
  }

  mutating func run(threads: Int, _ work: (_ stage: Int, _ batch: inout Batch) -> Bool) {
    while work(stage, &first) { stage = (stage + 1) % stages }
  }
}
