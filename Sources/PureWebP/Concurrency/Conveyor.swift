#if canImport(Dispatch) && !hasFeature(Embedded)
  import Dispatch
#endif

/// Batches that go round past stages of work, which are done by several threads at the same time.
struct Conveyor<Batch: Sendable>: Sendable {
  private var batches: ContiguousArray<Batch>
  private var schedule: StageSchedule

  init(_ batches: ContiguousArray<Batch>, stages: Int) {
    self.batches = batches
    schedule = StageSchedule(stages: stages, batches: batches.count)
  }

  /// The batch that the last stage has not done, with what the others have done to it.
  var first: Batch {
    get { batches[schedule.nextDone] }
    _modify { yield &batches[schedule.nextDone] }
  }

  /// Does all there is to do, and returns when no stage can go on.
  ///
  /// - Parameters:
  ///   - threads: how many may work, the caller's among them; no more than there are stages do. Where other processors
  ///     are busy, the caller's does more than its part: none waits but for a stage that another is at.
  ///   - work: does the work of a stage, and says whether the batch goes on to the next one. If not, neither the stage
  ///     nor those before it do anything more. What it changes in a stage, it must not touch in others.
  mutating func run(threads: Int, _ work: (_ stage: Int, _ batch: inout Batch) -> Bool) {
    schedule.resume()
    #if canImport(Dispatch) && !hasFeature(Embedded)
      if threads > 1 { return runConcurrently(threads: threads, work) }
    #endif
    while let stage = schedule.next {
      let goesOn = work(stage, &batches[schedule.begin(stage)])
      schedule.end(stage, goesOn: goesOn)
    }
  }

  #if canImport(Dispatch) && !hasFeature(Embedded)
    private mutating func runConcurrently(threads: Int, _ work: (Int, inout Batch) -> Bool) {
      let desk = Desk(schedule)
      let threads = min(threads, schedule.stages)
      unsafe batches.withUnsafeMutableBufferPointer { batches in
        // The schedule gives each batch to one thread at a time.
        nonisolated(unsafe) let batches = unsafe batches
        withoutActuallyEscaping(work) { work in
          // Nor does this outlive the call: `concurrentPerform` returns when all have.
          nonisolated(unsafe) let work = work
          DispatchQueue.concurrentPerform(iterations: threads) { _ in
            desk.takeOrders { stage, index in unsafe work(stage, &batches[index]) }
          }
        }
      }
      schedule = desk.schedule
    }
  #endif
}

#if canImport(Dispatch) && !hasFeature(Embedded)
  /// Where threads are told what to do.
  private final class Desk: @unchecked Sendable {
    /// Of the thread that has come through `door`.
    private(set) var schedule: StageSchedule
    private var sleepers = 0
    private let door = DispatchSemaphore(value: 1)
    private let bed = DispatchSemaphore(value: 0)

    init(_ schedule: StageSchedule) { self.schedule = schedule }

    /// Works until nothing is left to do.
    func takeOrders(_ work: (_ stage: Int, _ batch: Int) -> Bool) {
      door.wait()
      while true {
        if let stage = schedule.next {
          let batch = schedule.begin(stage)
          if schedule.next != nil { wake() }
          door.signal()
          let goesOn = work(stage, batch)
          door.wait()
          schedule.end(stage, goesOn: goesOn)
        } else if schedule.isAnyAtWork {
          sleepers += 1
          door.signal()
          bed.wait()
          door.wait()
        } else {
          break
        }
      }
      wake()
      door.signal()
    }

    /// Wakes one thread, which wakes the next if there is something for that one, too.
    private func wake() {
      guard sleepers > 0 else { return }
      sleepers -= 1
      bed.signal()
    }
  }
#endif
