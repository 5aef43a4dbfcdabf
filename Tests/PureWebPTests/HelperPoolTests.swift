#if canImport(CThreads)
  import CThreads
  import ConformanceSupport
  import Foundation
  import TestComparison
  import Testing

  @testable import PureWebP

  /// Proves that the threads of a pool serve all owners alike, whichever thread creates them.
  /// Expected values: the scheduling of the main thread, and the pixels that one thread decodes.
  @Suite struct HelperPoolTests {
    /// Work that records the thread that helps.
    private final class Visit: SharedWork, @unchecked Sendable {
      private let visited = DispatchSemaphore(value: 0)
      private(set) var processors: ProcessorSet?
      private(set) var priority = 0
      private(set) var policy = 0

      override func help(_ pool: HelperPool) {
        (processors, priority, policy) = (ProcessorSet(thread: 0), linux_get_priority(0), linux_get_policy(0))
        visited.signal()
      }

      /// Returns after a helper has worked.
      func wait() { visited.wait() }
    }

    /// Runs `body` on a new thread, whose scheduling it may change.
    private static func onNewThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
      nonisolated(unsafe) var result: Result?
      let isDone = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        unsafe result = body()
        isDone.signal()
      }
      isDone.wait()
      return unsafe result!
    }

    @Test func helpersHaveTheProcessorsOfTheMainThread() throws {
      let pool = HelperPool(maximum: 1)
      let visit = Visit()
      let own = Self.onNewThread {
        ProcessorSet(mask: [1]).assign(thread: 0)
        pool.request(visit)
        return ProcessorSet(thread: 0)
      }
      visit.wait()
      pool.end()
      let main = try #require(ProcessorSet(thread: getpid()))
      #expect(own?.count == 1)
      #expect(visit.processors == main)
    }

    /// Without a privilege, a helper that such a thread creates could not get the priority of the main thread.
    @Test func threadsOfLowerPriorityCreateNoHelpers() {
      let pool = HelperPool(maximum: 2)
      let (refused, next) = (Visit(), Visit())
      Self.onNewThread {
        linux_set_niceness(0, 19)
        pool.request(refused)
      }
      #expect(pool.threadCount == 0 && refused.isRefused)
      // The refusal concerns no other work, and the helper of other work helps here, too.
      pool.request(next)
      refused.wait()
      next.wait()
      pool.end()
      #expect(next.priority == linux_get_priority(getpid()))
      #expect(next.policy == LINUX_SCHED_OTHER)
    }

    /// Idle threads end at the same time as requests arrive.
    @Test(arguments: [0, 1000, 20_000]) func requestsToEndingHelpersAreServed(idleNanoseconds: Int) {
      let pool = HelperPool(maximum: 2, idleNanoseconds: idleNanoseconds)
      for _ in 0..<2000 {
        let visit = Visit()
        pool.request(visit)
        visit.wait()
      }
      pool.end()
      #expect(pool.threadCount == 0)
    }

    @Test func idleHelpersEnd() {
      let pool = HelperPool(maximum: 3, idleNanoseconds: 1000)
      let visits = (0..<3).map { _ in Visit() }
      for visit in visits { pool.request(visit) }
      for visit in visits { visit.wait() }
      while pool.threadCount > 0 { usleep(1000) }
    }

    /// Owners do not withdraw the work of other owners.
    @Test func withdrawnWorkGetsNoHelp() {
      let pool = HelperPool(maximum: 1)
      let (begun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let blocking = OrderedWorkQueue<Void>.blocking(pool, begun, mayEnd)
      let (withdrawn, remaining) = (Visit(), Visit())
      pool.request(withdrawn)
      pool.request(remaining)
      pool.withdraw(withdrawn)
      mayEnd.signal()
      remaining.wait()
      pool.end()
      #expect(withdrawn.processors == nil)
      _ = blocking
    }

    /// All of them together use no more helpers than the pool has, and an abandoned decode affects no other.
    @Test func simultaneousDecodesShareTheHelpers() throws {
      let bytes = try Array(Conformance.vector("vp8-tall.webp"))
      let expected = try Self.decode(bytes, .one)
      let pool = HelperPool(maximum: 3, idleNanoseconds: 1_000_000)
      let most = Most()
      DispatchQueue.concurrentPerform(iterations: 64) { number in
        HelperPool.$current.withValue(pool) {
          var abandoned = WebP.StreamingDecoder(options: Self.options(Self.four))
          _ = try? abandoned.append(bytes.prefix(bytes.count / 2))
          let pixels = try? Self.decode(bytes, Self.four)
          if pixels != expected { Issue.record("decode \(number)") }
          most.note(pool.threadCount)
        }
      }
      pool.end()
      #expect((1...3).contains(most.value))
    }

    private static let four = WebP.Threads(count: 4, batchPixels: 1)

    private static func options(_ threads: WebP.Threads) -> WebP.DecodeOptions {
      WebP.DecodeOptions(threads: threads)
    }

    private static func decode(_ bytes: [UInt8], _ threads: WebP.Threads) throws -> ContiguousArray<UInt8> {
      try WebP.decode(bytes, options: options(threads)).pixels
    }
  }

  extension OrderedWorkQueue<Void> {
    /// A queue that occupies a helper of a pool until `mayEnd` is signaled.
    fileprivate static func blocking(
      _ pool: HelperPool, _ begun: DispatchSemaphore, _ mayEnd: DispatchSemaphore
    ) -> Self {
      HelperPool.$current.withValue(pool) {
        var queue = Self(threads: 2)
        queue.add {
          begun.signal()
          mayEnd.wait()
        }
        begun.wait()
        return queue
      }
    }
  }

  /// The greatest number that several threads have noted.
  private final class Most: @unchecked Sendable {
    private let lock = NSLock()
    private var greatest = 0

    var value: Int { lock.withLock { greatest } }
    func note(_ number: Int) { lock.withLock { greatest = max(greatest, number) } }
  }
#endif
