#if !hasFeature(Embedded)
  /// Work items whose results are returned in the order in which they were added.
  ///
  ///     add ──▶ │ item │ item │ item │ ──▶ next
  ///               ▲      ▲      ▲
  ///               └── helper threads, and in `next` the caller's
  ///
  /// No thread waits while work is left: if a helper is running the next item, the caller's thread runs a later one.
  /// After the queue has been released, no more items are begun.
  package struct OrderedWorkQueue<Value: Sendable>: Sendable {
    private var items: ContiguousArray<WorkItem<Value>> = []
    /// Copies of the queue share the helpers.
    private var helpers: QueueHelpers<Value>

    /// - Parameter threads: the maximum number of threads, including the caller's.
    package init(threads: Int) { helpers = QueueHelpers(.current, maximum: threads - 1) }

    /// The number of items whose results have not been taken.
    package var count: Int { items.count }

    package mutating func add(_ work: @escaping @Sendable () -> Value) {
      continueAfterFork()
      let item = WorkItem(work)
      items.append(item)
      helpers.add(item)
    }

    /// Indicates whether `next()` would return immediately.
    package var isNextDone: Bool {
      guard let item = items.first, !helpers.areOfParentProcess else { return false }
      return helpers.work.isDone(item)
    }

    /// Returns the result of the next item, after waiting for it if necessary. Nil if there are no more items.
    package mutating func next() -> Value? {
      guard !items.isEmpty else { return nil }
      continueAfterFork()
      let result = helpers.work.result(of: items)
      items.removeFirst()
      return result
    }

    /// In a child process, helpers do not exist that have begun items. So all items begin again.
    private mutating func continueAfterFork() {
      guard helpers.areOfParentProcess else { return }
      helpers = helpers.newHelpers()
      for index in items.indices {
        items[index] = WorkItem(items[index].work)
        helpers.add(items[index])
      }
    }
  }

  /// Work whose result is needed later.
  private final class WorkItem<Value: Sendable>: @unchecked Sendable {
    let work: @Sendable () -> Value
    // The queue's monitor protects these properties.
    var isBegun = false
    var result: Value?

    init(_ work: @escaping @Sendable () -> Value) { self.work = work }
  }

  /// The connection of a queue to its helpers. Helpers do not refer to it, so it is released with the queue.
  private final class QueueHelpers<Value: Sendable>: Sendable {
    let work: QueuedWork<Value>
    private let pool: HelperPool
    private let generation: Int
    private let maximum: Int

    init(_ pool: HelperPool, maximum: Int) {
      work = QueuedWork(helpers: min(maximum, pool.maximum))
      (self.pool, self.maximum, generation) = (pool, maximum, pool.generation)
    }

    deinit { pool.withdraw(work) }

    func add(_ item: WorkItem<Value>) { if work.add(item) { pool.request(work) } }

    var areOfParentProcess: Bool { generation != pool.generation }
    func newHelpers() -> QueueHelpers { QueueHelpers(pool, maximum: maximum) }
  }

  /// The items of a queue that no thread has begun.
  private final class QueuedWork<Value: Sendable>: SharedWork, @unchecked Sendable {
    // The monitor protects all properties.
    private var pending: ContiguousArray<WorkItem<Value>> = []
    /// The number of helpers that can be requested.
    private var freeHelpers: Int
    /// The number of threads that wait for results.
    private var waiting = 0

    init(helpers: Int) { freeHelpers = helpers }

    /// Adds an item. Returns whether a helper is to be requested.
    func add(_ item: WorkItem<Value>) -> Bool {
      monitor.lock()
      defer { monitor.unlock() }
      pending.append(item)
      guard freeHelpers > 0 else { return false }
      freeHelpers -= 1
      return true
    }

    func isDone(_ item: WorkItem<Value>) -> Bool {
      monitor.lock()
      defer { monitor.unlock() }
      return item.result != nil
    }

    /// Returns the result of the first item. While another thread works on it, this thread works on the others.
    func result(of items: ContiguousArray<WorkItem<Value>>) -> Value? {
      monitor.lock()
      defer { monitor.unlock() }
      while items[0].result == nil {
        if let item = items.first(where: { !$0.isBegun }) {
          pending.removeAll { $0 === item }
          run(item)
        } else {
          waiting += 1
          monitor.wait()
          waiting -= 1
        }
      }
      return items[0].result
    }

    override func help(_ pool: HelperPool) {
      monitor.lock()
      while !pending.isEmpty {
        // A queue that has been released does not refer to its items.
        let isNeeded = !isKnownUniquelyReferenced(&pending[0])
        let item = pending.removeFirst()
        if isNeeded { run(item) }
      }
      freeHelpers += 1
      monitor.unlock()
    }

    /// Runs an item. The lock is held before and after the call, but not meanwhile.
    private func run(_ item: WorkItem<Value>) {
      item.isBegun = true
      monitor.unlock()
      let result = item.work()
      monitor.lock()
      item.result = result
      guard waiting > 0 else { return }
      monitor.unlockAndSignalAll()
      monitor.lock()
    }
  }
#endif
