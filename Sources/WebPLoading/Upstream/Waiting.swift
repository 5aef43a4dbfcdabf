import Foundation

// Only waiting happens on Swift's threads, of which there is one per processor. Everything that computes, uses files or
// calls the app runs on dispatch queues.

/// A value that several threads use, and the lock that protects it. The compiler permits no other access to the value.
///
/// While the lock is held, no call leaves the module: no continuation, closure of the app, delegate or cancellation.
package final class Locked<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  package init(_ value: sending Value) { self.value = value }

  package func withLock<Result, Failure>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}

/// The clock of loads, and the only functions in which a load continues on another executor. Tests replace the clock
/// and count these hops.
package struct Runtime: Sendable {
  /// The number of seconds since some moment in the past.
  var now: @Sendable () -> Double = { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
  /// Calls a function after a number of seconds.
  var after: @Sendable (Double, @escaping @Sendable () -> Void) -> Void = {
    DispatchQueue.global().asyncAfter(deadline: .now() + $0, execute: $1)
  }
  /// Called at each hop.
  var didHop: @Sendable () -> Void = {}

  package init() {}

  /// Starts a task.
  func start(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    didHop()
    return Task(operation: work)
  }

  /// Runs work on a queue and waits for its result.
  nonisolated(nonsending) func run<Value: Sendable, Failure>(
    on queue: DispatchQueue, _ work: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    didHop()
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
      queue.async {
        let result = Result { () throws(Failure) in try work() }
        didHop()
        continuation.resume(returning: result)
      }
    }
    return try result.get()
  }

  /// Waits for a function to call its argument. The first call counts.
  ///
  /// - Throws: the error of the call, or `CancellationError` as soon as the task is canceled.
  nonisolated(nonsending) func wait<Value: Sendable>(
    for start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
  ) async throws -> Value {
    let inbox = Inbox<Value>(self)
    start { result in
      switch result {
      case .success(let value): inbox.receive(value)
      case .failure(let error): inbox.end(.failure(error))
      }
    }
    return try await inbox.takeHead()
  }

  /// - Throws: `CancellationError` as soon as the task is canceled.
  nonisolated(nonsending) func sleep(seconds: Double) async throws {
    try await wait { finish in after(seconds) { finish(.success(())) } }
  }
}

/// A task that can be canceled before it was started, for example while its start is under way on another thread.
struct TaskHandle: Sendable {
  private let state = Locked((task: Task<Void, Never>?.none, isCanceled: false))

  func start(_ runtime: Runtime, _ work: @escaping @Sendable () async -> Void) {
    let task = runtime.start(work)
    let isCanceled = state.withLock {
      $0.task = task
      return $0.isCanceled
    }
    if isCanceled { task.cancel() }
  }

  func cancel() {
    let task = state.withLock {
      $0.isCanceled = true
      return $0.task
    }
    task?.cancel()
  }
}

extension DispatchQueue {
  /// Runs work on the queue and waits for its result.
  package nonisolated(nonsending) func run<Value: Sendable, Failure>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await Runtime().run(on: self, work)
  }
}
