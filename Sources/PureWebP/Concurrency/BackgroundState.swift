#if canImport(Dispatch) && !hasFeature(Embedded) && canImport(_Concurrency)
  import Dispatch

  /// A state that a task uses outside of the cooperative thread pool.
  ///
  /// All accesses run on one serial queue. This includes the outputs of the steps, because the thread sanitizer does
  /// not recognize that resuming a continuation orders accesses.
  package final class BackgroundState<State, Output>: @unchecked Sendable {
    private let queue = DispatchQueue(label: "PureWebP", qos: .userInitiated)
    private let step: (inout State) -> Output
    private var state: State
    private var output: Output?

    /// - Parameters:
    ///   - state: A state that nothing else refers to.
    ///   - step: The work that each call of ``nextOutput()`` does.
    package init(_ state: sending State, step: @escaping @Sendable (inout State) -> Output) {
      self.state = state
      self.step = step
    }

    /// Runs a step on a thread of Dispatch while the task is suspended. One task at a time may call it.
    package func nextOutput() async -> Output {
      await withCheckedContinuation { continuation in
        queue.async { [self] in
          output = step(&state)
          continuation.resume()
        }
      }
      return queue.sync { output.take()! }
    }

    /// Accesses the state between two steps.
    package func access<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
      try queue.sync { try body(&state) }
    }
  }
#endif
