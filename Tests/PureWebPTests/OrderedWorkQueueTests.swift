import Foundation
import Testing

@testable import PureWebP

/// Proves that each work item runs once and that results are returned in order.
/// Expected values: the numbers of the work items, in order.
@Suite(.helpers(3)) struct OrderedWorkQueueTests {
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
  @Test(arguments: 0...4) func workOfRefusedHelpersIsDone(startable: Int) {
    HelperPool.$current.withValue(HelperPool(maximum: 4, startable: startable)) {
      var queue = OrderedWorkQueue<Int>(threads: 5)
      for number in 0..<100 { queue.add { number * number } }
      var results: [Int] = []
      while let result = queue.next() { results.append(result) }
      #expect(results == (0..<100).map { $0 * $0 })
    }
  }

  @Test(arguments: [1, 2]) func workRunsOnce(threads: Int) {
    let runs = Counter()
    var queue = OrderedWorkQueue<Int>(threads: threads)
    for _ in 0..<100 { queue.add { runs.increment() } }
    let copy = queue
    var results: Set<Int> = []
    for var queue in [queue, copy] { while let result = queue.next() { results.insert(result) } }
    #expect(runs.value == 100)
    #expect(results == Set(1...100))
  }

  /// The only helper is busy until the queue has been released.
  @Test func workOfAReleasedQueueIsNotBegun() {
    let pool = HelperPool(maximum: 1)
    HelperPool.$current.withValue(pool) {
      let (begun, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let runs = Counter()
      var first = OrderedWorkQueue<Void>(threads: 2)
      first.add {
        begun.signal()
        released.wait()
      }
      begun.wait()
      do {
        var queue = OrderedWorkQueue<Int>(threads: 2)
        for _ in 0..<10 { queue.add { runs.increment() } }
      }
      released.signal()
      first.next()
      pool.end()
      #expect(runs.value == 0)
    }
  }
}

/// A number that several threads increment.
private final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0

  var value: Int { lock.withLock { count } }

  func increment() -> Int {
    lock.withLock {
      count += 1
      return count
    }
  }
}
