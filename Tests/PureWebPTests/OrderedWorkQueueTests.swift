import Testing

@testable import PureWebP

/// Proves that each work item runs once and that results are returned in order.
/// Expected values: the numbers of the work items, in order.
@Suite struct OrderedWorkQueueTests {
  @Test(arguments: [1, 2, 4]) func resultsAreReturnedInOrder(threads: Int) {
    var queue = OrderedWorkQueue<Int>(threads: threads)
    var results: [Int] = []
    for number in 0..<200 {
      queue.add { (0..<(number * 37 % 50) * 100).reduce(number) { $0 ^ $1 & 0 } }
      if queue.count > threads, let result = queue.next() { results.append(result) }
    }
    while let result = queue.next() { results.append(result) }
    #expect(results == Array(0..<200))
    #expect(queue.count == 0 && queue.next() == nil)
  }

  /// If the system creates fewer helpers than requested, or none, the caller's thread does the remaining work.
  @Test(arguments: 0...4) func workOfRefusedHelpersIsDone(startableHelpers: Int) {
    HelperThreads.$machine.withValue(.init(processors: 5, startableHelpers: startableHelpers)) {
      var queue = OrderedWorkQueue<Int>(threads: 5)
      for number in 0..<100 { queue.add { number * number } }
      var results: [Int] = []
      while let result = queue.next() { results.append(result) }
      #expect(results == (0..<100).map { $0 * $0 })
    }
  }

  @Test func canceledWorkDoesNotRun() {
    let item = WorkItem { 7 }
    #expect(item.cancel() && !item.cancel())
    #expect(!item.runIfUnclaimed() && item.isDone && item.result == nil)
  }

  @Test func workRunsOnce() {
    let item = WorkItem { 7 }
    #expect(!item.isDone && item.result == nil)
    #expect(item.runIfUnclaimed())
    #expect(!item.runIfUnclaimed())
    item.wait()
    #expect(item.isDone && item.result == 7)
  }
}
