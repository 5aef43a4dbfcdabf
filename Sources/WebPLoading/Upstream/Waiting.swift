import Foundation

// Only waiting happens on Swift's threads, of which there is one per processor. Everything that computes, uses files or
// calls the app runs on dispatch queues.

extension DispatchQueue {
  /// Runs work on the queue and waits for its result.
  package func run<Value>(_ work: @escaping @Sendable () throws -> sending Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      self.async {
        do { continuation.resume(returning: try work()) } catch { continuation.resume(throwing: error) }
      }
    }
  }

  /// Runs work on the queue and waits for its result.
  package func run<Value>(_ work: @escaping @Sendable () -> sending Value) async -> Value {
    await withCheckedContinuation { continuation in self.async { continuation.resume(returning: work()) } }
  }
}

/// A result that one task waits for. The first result counts; later ones are ignored. Thread-safe.
final class PendingResult<Value: Sendable>: @unchecked Sendable {
  /// Protects the variables. Not held while the continuation is resumed.
  private let lock = NSLock()
  private var result: Result<Value, any Error>?
  private var continuation: CheckedContinuation<Value, any Error>?

  /// Waits for the result. If the task is canceled first, waiting ends immediately with `CancellationError`.
  ///
  /// - Parameter start: begins the work that provides the result.
  static func wait(_ start: (PendingResult) -> Void) async throws -> Value {
    let pending = PendingResult()
    start(pending)
    if let result = pending.lock.withLock({ pending.result }) { return try result.get() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result = pending.lock.withLock {
          if pending.result == nil { pending.continuation = continuation }
          return pending.result
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      pending.finish(.failure(CancellationError()))
    }
  }

  func finish(_ new: Result<Value, any Error>) {
    let waiting: CheckedContinuation<Value, any Error>? = lock.withLock {
      guard result == nil else { return nil }
      result = new
      defer { continuation = nil }
      return continuation
    }
    waiting?.resume(with: new)
  }
}

/// Work that passes its result to a handler.
struct Work<Value: Sendable>: Sendable {
  typealias Handler = @Sendable (Result<Value, any Error>) -> Void

  /// Begins the work, and returns a function that ends it. After a call of that function, the handler may be called or
  /// not.
  let begin: @Sendable (@escaping Handler) -> @Sendable () -> Void

  init(_ begin: @escaping @Sendable (@escaping Handler) -> @Sendable () -> Void) { self.begin = begin }

  /// Work that may ignore that it is canceled.
  init(_ operation: @escaping @Sendable () async throws -> Value) {
    begin = { handler in
      let task = Task {
        do { handler(.success(try await operation())) } catch { handler(.failure(error)) }
      }
      return { task.cancel() }
    }
  }

  /// Waits for the result. If waiting fails, for example because the task is canceled, the work ends.
  ///
  /// - Parameter prepare: is called before the work begins, with the result that is waited for.
  func value(_ prepare: (PendingResult<Value>) -> Void = { _ in }) async throws -> Value {
    try Task.checkCancellation()
    var end: (@Sendable () -> Void)?
    do {
      return try await PendingResult.wait { pending in
        prepare(pending)
        end = begin(pending.finish)
      }
    } catch {
      end?()
      throw error
    }
  }
}

/// The time, which tests replace.
package struct TimeSource: Sendable {
  /// The number of seconds since some moment in the past.
  var now: @Sendable () -> Double = { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
  /// Calls a function after a number of seconds.
  var after: @Sendable (Double, @escaping @Sendable () -> Void) -> Void = {
    DispatchQueue.global().asyncAfter(deadline: .now() + $0, execute: $1)
  }

  /// - Throws: `CancellationError` as soon as the task is canceled.
  func sleep(seconds: Double) async throws {
    try await PendingResult<Void>.wait { pending in after(seconds) { pending.finish(.success(())) } }
  }
}
