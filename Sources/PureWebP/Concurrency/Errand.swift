#if !hasFeature(Embedded)
  #if canImport(Dispatch)
    import Dispatch
  #endif

  /// Work whose result is needed later. A helper thread does it, or, if none has begun by then, whoever needs the result.
  ///
  /// The work is done once at the most, and not at all if nobody holds the errand when its turn comes.
  final class Errand<Value: Sendable>: @unchecked Sendable {
    private let work: @Sendable () -> Value
    /// Of the work, once it is done: written before `done` lets others read it.
    private(set) var result: Value?

    #if canImport(Dispatch)
      /// Lets one through: whoever begins.
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

    /// - Returns: whether the work had still to be done, and is done now.
    @discardableResult
    func doUnlessBegun() -> Bool {
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
      // A group must not go away before all have left it.
      deinit { if mayBegin() { done.leave() } }
    #else
      func wait() { doUnlessBegun() }
      var isDone: Bool { result != nil }
      private func mayBegin() -> Bool { result == nil }
    #endif
  }
#endif
