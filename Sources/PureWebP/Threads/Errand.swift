#if !hasFeature(Embedded)
  #if canImport(Dispatch)
    import Dispatch
  #endif

  /// Work whose result is needed later. A helper thread does it, or, if none has begun by then, whoever needs the result.
  ///
  /// The work is done once at the most, and not at all if nobody holds the errand when its turn comes.
  final class Errand<Value: Sendable>: @unchecked Sendable {
    private let work: @Sendable () -> Value
    /// Written by the one who has begun, before `done` tells the others that they may read it.
    private var result: Value?

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

    /// Nil only in vain hope: where the work has not been begun.
    func waitForResult() -> Value? {
      #if canImport(Dispatch)
        done.wait()
      #endif
      return result
    }

    #if canImport(Dispatch)
      var isDone: Bool { done.wait(timeout: .now()) == .success }
      private func mayBegin() -> Bool { gate.wait(timeout: .now()) == .success }
      // A group must not go away before all have left it.
      deinit { if mayBegin() { done.leave() } }
    #else
      var isDone: Bool { result != nil }
      private func mayBegin() -> Bool { result == nil }
    #endif
  }
#endif
