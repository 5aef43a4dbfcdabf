import Testing

@testable import PureWebP

/// Proves that a pipeline runs each stage once for each batch, in order, on any number of threads.
/// Expected values: a plain loop over batches and stages.
@Suite struct StagedPipelineTests {
  /// A stage's number, and how often the stage had run before.
  private struct Note: Equatable, Sendable {
    let stage: Int
    let runs: Int
  }

  private static func pipeline(batches: Int) -> StagedPipeline<[Note]> {
    StagedPipeline(.init(repeating: [], count: batches), stages: 3)
  }

  /// The system creates none, some or all of the helpers.
  @Test(arguments: 0...3, [1, 2, 5])
  func batchesPassTheStagesInOrder(startable: Int, batches: Int) {
    HelperPool.$current.withValue(HelperPool(maximum: 7, startable: startable)) {
      Self.checkOrder(threads: 8, batches: batches)
    }
    Self.checkOrder(threads: 1, batches: batches)
  }

  private static func checkOrder(threads: Int, batches: Int) {
    var pipeline = pipeline(batches: batches)
    var (first, second, third) = (0, 0, 0)
    var finished: [[Note]] = []
    pipeline.run(threads: threads) { stage, batch in
      switch stage {
      case 0:
        batch = [Note(stage: 0, runs: first)]
        first += 1
        return first <= 500
      case 1:
        batch.append(Note(stage: 1, runs: second))
        second += 1
      default:
        finished.append(batch + [Note(stage: 2, runs: third)])
        third += 1
      }
      return true
    }
    #expect(finished == (0..<500).map { runs in (0..<3).map { Note(stage: $0, runs: runs) } })
  }

  @Test(arguments: [1, 4]) func retainedBatchContinuesFirst(threads: Int) {
    var pipeline = Self.pipeline(batches: 3)
    var (begun, seen, finished) = (0, 0, [Int]())
    for end in [5, 5, 9] {
      pipeline.run(threads: threads) { stage, batch in
        switch stage {
        case 0:
          batch = [Note(stage: 0, runs: begun)]
          begun += 1
          return true
        case 1:
          seen = batch[0].runs
          return seen < end
        default:
          finished.append(batch[0].runs)
          return true
        }
      }
      #expect(seen == end)
      #expect(finished == Array(0..<end))
      #expect(pipeline.first.first?.runs == end)
    }
  }
}
