import Foundation

/// A response that one side delivers and one task takes: a head, the bytes that wait, and the end. Thread-safe.
final class Inbox<Head: Sendable>: Sendable {
  /// Protects the state. Tasks are resumed without it.
  private let state = Locked(State())
  private let runtime: Runtime

  private struct State: Sendable {
    var head: Head?
    var waiting = Data()
    /// The end of the body, or the error.
    var end: Result<Void, any Error>?
    /// Indicates whether the next call of `next` returns although no bytes wait.
    var isAwake = false
    var taker: Taker?
    /// The delivering task, while it waits for `takeRoom`.
    var filler: (maximum: Int, continuation: CheckedContinuation<Void, any Error>)?
  }

  private enum Taker: Sendable {
    case head(CheckedContinuation<Head, any Error>)
    case bytes(minimum: Int, CheckedContinuation<Data?, any Error>)
  }

  init(_ runtime: Runtime = Runtime()) { self.runtime = runtime }

  // MARK: Taking

  /// Waits for the head.
  ///
  /// - Throws: the error of the end, or `CancellationError` as soon as the task is canceled.
  nonisolated(nonsending) func takeHead() async throws -> Head {
    try await take { .head($0) }
  }

  /// Waits for bytes, and returns all that wait: none after `wake`, nil at the end.
  ///
  /// - Parameter minimum: the number of bytes to wait for. At the end, the result may have fewer.
  /// - Throws: the error of the end after the last bytes, or `CancellationError` as soon as the task is canceled.
  nonisolated(nonsending) func next(atLeast minimum: Int = 1) async throws -> Data? {
    try await take { .bytes(minimum: minimum, $0) }
  }

  private nonisolated(nonsending) func take<Value: Sendable>(
    _ taker: (CheckedContinuation<Value, any Error>) -> Taker
  ) async throws -> Value {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        change(isWaiting: false) { $0.taker = taker(continuation) }
      }
    } onCancel: {
      cancel()
    }
  }

  /// Lets the task look at its own state, although no bytes wait.
  func wake() { change { $0.isAwake = true } }

  // MARK: Delivering

  func receive(_ head: Head) { change { $0.head = $0.head ?? head } }

  /// Adds bytes.
  ///
  /// - Parameter isLast: whether the body ends after them.
  /// - Returns: the number of bytes that wait. Nil after the end, when no bytes are wanted.
  func receive(_ data: Data, isLast: Bool = false) -> Int? {
    change {
      if $0.end != nil { return nil }
      if isLast { $0.end = .success(()) }
      // Without a copy while the taker is as fast as the other side.
      if $0.waiting.isEmpty { $0.waiting = data } else { $0.waiting.append(data) }
      return $0.waiting.count
    }
  }

  /// Waits until at most `maximum` bytes wait.
  ///
  /// - Throws: if no bytes are wanted any more.
  func takeRoom(_ maximum: Int) async throws {
    try await withCheckedThrowingContinuation { continuation in
      change(isWaiting: false) { $0.filler = (maximum, continuation) }
    }
  }

  /// Ends the body. The first end counts.
  func end(_ result: Result<Void, any Error>) { change { $0.end = $0.end ?? result } }

  /// Ends the body without its last bytes.
  func fail(_ error: any Error) { change { ($0.waiting, $0.end) = (Data(), .failure(error)) } }

  func cancel() { fail(CancellationError()) }

  /// The number of bytes that wait.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  var hasEnded: Bool { state.withLock { $0.end != nil } }

  /// Indicates whether the complete body was taken.
  var isTaken: Bool {
    state.withLock { if case .success = $0.end { $0.waiting.isEmpty } else { false } }
  }

  // MARK: Changing

  /// Changes the state, and resumes the tasks that wait for the change.
  ///
  /// - Parameters:
  ///   - isWaiting: whether a task that is resumed was suspended.
  ///   - body: a closure of this file, which only changes the state, because the lock is held.
  @discardableResult
  private func change<Value: Sendable>(isWaiting: Bool = true, _ body: (inout State) -> Value) -> Value {
    let (value, taken, filled) = state.withLock {
      let value = body(&$0)
      return (value, Self.taking(&$0), Self.filling(&$0))
    }
    for call in [taken, filled] {
      guard let call else { continue }
      if isWaiting { runtime.didHop() }
      call()
    }
    return value
  }

  private static func taking(_ state: inout State) -> (@Sendable () -> Void)? {
    switch state.taker {
    case .head(let continuation):
      // Errors are created only if they are needed, because they take a hundredth of the time of a small image.
      let noHead = { URLError(.badServerResponse, "there is no response") }
      guard let head = state.head.map({ .success($0) }) ?? state.end.map({ $0.flatMap { .failure(noHead()) } })
      else { return nil }
      state.taker = nil
      return { continuation.resume(with: head) }
    case .bytes(let minimum, let continuation):
      guard state.waiting.count >= minimum || state.isAwake || state.end != nil else { return nil }
      let hasBytes = !state.waiting.isEmpty || state.end == nil
      let bytes: Result<Data?, any Error> = hasBytes ? .success(state.waiting) : state.end!.map { nil }
      (state.waiting, state.isAwake, state.taker) = (Data(), false, nil)
      return { continuation.resume(with: bytes) }
    case nil: return nil
    }
  }

  private static func filling(_ state: inout State) -> (@Sendable () -> Void)? {
    guard let (maximum, continuation) = state.filler else { return nil }
    let isUnwanted = state.end != nil
    guard isUnwanted || state.waiting.count <= maximum else { return nil }
    state.filler = nil
    return { continuation.resume(with: isUnwanted ? .failure(CancellationError()) : .success(())) }
  }
}
