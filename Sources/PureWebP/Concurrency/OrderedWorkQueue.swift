#if !hasFeature(Embedded)
  #if canImport(Dispatch)
    import Dispatch
  #endif

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
    #if canImport(Dispatch)
      private let helpers: HelperThreads?
    #endif

    /// - Parameter threads: the maximum number of threads, including the caller's.
    package init(threads: Int) {
      #if canImport(Dispatch)
        helpers = threads > 1 ? HelperThreads(maximum: threads - 1) : nil
      #endif
    }

    /// The number of items whose results have not been taken.
    package var count: Int { items.count }

    package mutating func add(_ work: @escaping @Sendable () -> Value) {
      let item = WorkItem(work)
      items.append(item)
      #if canImport(Dispatch)
        helpers?.add { [weak item] in _ = item?.runIfUnclaimed() }
      #endif
    }

    /// Indicates whether `next()` would return immediately.
    package var isNextDone: Bool { items.first?.isDone ?? false }

    /// Returns the result of the next item, after waiting for it if necessary. Nil if there are no more items.
    package mutating func next() -> Value? {
      guard !items.isEmpty else { return nil }
      let item = items.removeFirst()
      item.runIfUnclaimed()
      while !item.isDone, items.contains(where: { $0.runIfUnclaimed() }) {}
      item.wait()
      return item.result
    }
  }

  /// Work whose result is needed later. A helper thread runs it. If no helper has begun when the result is needed, the
  /// consumer's thread runs it.
  ///
  /// The work runs at most once. If the item is released before a helper begins, it does not run.
  final class WorkItem<Value: Sendable>: @unchecked Sendable {
    /// Nil after a thread has been admitted, so that what the work refers to is released when the work is done.
    private var work: (@Sendable () -> Value)?
    /// The result. The working thread writes it before it leaves the group `done`. Other threads read it after they
    /// have waited for the group.
    private(set) var result: Value?

    #if canImport(Dispatch)
      /// Admits one thread, which then runs the work.
      private let gate = DispatchSemaphore(value: 0)
      private let done = DispatchGroup()
    #endif

    init(_ work: @escaping @Sendable () -> Value) {
      self.work = work
      #if canImport(Dispatch)
        gate.signal()
        done.enter()
      #endif
    }

    /// Runs the work unless another thread has begun it.
    ///
    /// - Returns: whether this call ran it.
    @discardableResult
    func runIfUnclaimed() -> Bool {
      guard mayBegin() else { return false }
      result = work.take()!()
      #if canImport(Dispatch)
        done.leave()
      #endif
      return true
    }

    /// Prevents the work from being begun.
    ///
    /// - Returns: false if a thread has begun it.
    func cancel() -> Bool {
      guard mayBegin() else { return false }
      work = nil
      #if canImport(Dispatch)
        done.leave()
      #endif
      return true
    }

    #if canImport(Dispatch)
      func wait() { done.wait() }
      var isDone: Bool { done.wait(timeout: .now()) == .success }
      private func mayBegin() -> Bool { gate.wait(timeout: .now()) == .success }
      // A group must not be released before it has been left.
      deinit { _ = cancel() }
    #else
      func wait() { runIfUnclaimed() }
      var isDone: Bool { result != nil }
      private func mayBegin() -> Bool { work != nil }
    #endif
  }
#endif
