/// Which stage of work may take which batch. Each takes the batches in order, one at a time, when the stage before it is
/// done with them; the first stage takes each again when the last one is done with it.
///
///     stage            0        1        2        3
///     done with    ├── n + 4 ─┼ n + 2 ─┼ n + 2 ─┼ n      3 may take batch n, 2 none, 1 batch n + 2; 0 batch n + 4, if
///                                                        there are more than four
struct StageSchedule {
  private let batches: Int
  /// How many batches each stage is done with.
  private var done: ContiguousArray<Int>
  private var isAtWork: ContiguousArray<Bool>
  /// The stages before this one begin nothing more.
  private var firstGoingOn = 0

  init(stages: Int, batches: Int) {
    self.batches = batches
    done = .init(repeating: 0, count: stages)
    isAtWork = .init(repeating: false, count: stages)
  }

  var stages: Int { done.count }
  /// The batch that the last stage takes next.
  var nextDone: Int { done[stages - 1] % batches }
  var isAnyAtWork: Bool { isAtWork.contains(true) }
  /// The first stage that may begin: the first ones have most to do, and the others wait for them.
  var next: Int? { done.indices.first { mayBegin($0) } }

  private func mayBegin(_ stage: Int) -> Bool {
    let end = stage == 0 ? done[stages - 1] + batches : done[stage - 1]
    return stage >= firstGoingOn && !isAtWork[stage] && done[stage] < end
  }

  /// - Returns: The batch that the stage takes.
  mutating func begin(_ stage: Int) -> Int {
    isAtWork[stage] = true
    return done[stage] % batches
  }

  /// - Parameter goesOn: false: it keeps the batch, and neither it nor those before it begin anything more.
  mutating func end(_ stage: Int, goesOn: Bool) {
    isAtWork[stage] = false
    if goesOn { done[stage] += 1 } else { firstGoingOn = max(firstGoingOn, stage + 1) }
  }

  /// Stages that had stopped may begin again.
  mutating func resume() { firstGoingOn = 0 }
}
