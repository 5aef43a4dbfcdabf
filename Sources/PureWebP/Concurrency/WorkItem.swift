#if !hasFeature(Embedded)
  #if canImport(Dispatch)
    import Dispatch
  #endif

  /// Work whose result is needed later. A helper thread runs it. If no helper has begun when the result is needed, the
  /// consumer's thread runs it.
  ///
  /// The work runs at most once. If the item is released before a helper begins, it does not run.
  final class WorkItem<Value: Sendable>: @unchecked Sendable {
    private let work: @Sendable () -> Value
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
      result = work()
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
      deinit { if mayBegin() { done.leave() } }
    #else
      func wait() { runIfUnclaimed() }
      var isDone: Bool { result != nil }
      private func mayBegin() -> Bool { result == nil }
    #endif
  }
#endif
