import Testing

@testable import PureWebP

/// Proves that stages process batches in order and reuse only finished batches.
/// Expected values: schedules worked out by hand.
@Suite struct StageScheduleTests {
  /// The oldest batch is the first one that the last stage has not finished, regardless of the stages before it.
  @Test func oldestBatchBelongsToTheLastStage() {
    var schedule = StageSchedule(stages: 3, batches: 4)
    func run(_ stage: Int, times: Int) {
      for _ in 0..<times {
        _ = schedule.begin(stage)
        schedule.end(stage, isFinished: true)
      }
    }
    run(0, times: 4)
    run(1, times: 3)
    #expect(schedule.nextDone == 0)
    run(2, times: 2)
    #expect(schedule.nextDone == 2)
    run(0, times: 2)
    run(2, times: 1)
    #expect(schedule.nextDone == 3)
  }
}
