import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One task of a ``URLSessionTransport``, and the bytes that wait for the reader. Thread-safe.
///
/// On Apple's systems, the task is suspended while more than `suspensionBytes` wait. FoundationNetworking repeats the
/// request of a suspended task. Therefore on Linux, the transfer fails if more than `maximumWaitingBytes` wait.
final class SessionTransfer: @unchecked Sendable {
  private static let suspensionBytes = 1 << 20
  static let maximumWaitingBytes = 64 << 20

  private let task: URLSessionTask
  private let control: DispatchQueue
  #if canImport(FoundationNetworking)
    private let socketQueue: DispatchQueue?
    private let taskQueue: DispatchQueue?
  #endif
  /// Protects `state`. Not held while another object is called.
  private let lock = NSLock()
  private var state = State()
  /// Indicates whether the task was canceled. Accessed on `control`.
  private var isCanceled = false

  private struct State {
    var head: HTTPURLResponse?
    var waiting = Data()
    /// The end of the body, or the error.
    var end: Result<Void, any Error>?
    var isSuspended = false
    /// Indicates whether something has changed while no reader waited.
    var hasChanged = false
    var reader: CheckedContinuation<Void, Never>?

    mutating func append(_ data: Data) {
      // Without a copy while the reader is as fast as the server.
      if waiting.isEmpty { waiting = data } else { waiting.append(data) }
    }
  }

  /// The reader's end. When it is released, the transfer ends.
  final class Body: WebP.TransportBody {
    private let transfer: SessionTransfer

    init(_ transfer: SessionTransfer) { self.transfer = transfer }

    deinit { transfer.cancel() }

    func next() async throws -> Data? { try await transfer.next() }
  }

  /// - Parameters:
  ///   - task: a task that was not resumed yet.
  ///   - session: the session of the task.
  ///   - control: the queue for calls to the task.
  init(_ task: URLSessionTask, session: URLSession, control: DispatchQueue) {
    self.task = task
    self.control = control
    #if canImport(FoundationNetworking)
      socketQueue = session.socketQueue
      taskQueue = TaskInternals.queue(of: task)
    #endif
  }

  // MARK: The reader

  func head() async throws -> HTTPURLResponse {
    try await wait { state in
      if let head = state.head { return head }
      if case .failure(let error) = state.end { throw error }
      return state.end == nil ? nil : try { throw URLError(.badServerResponse, "there is no response") }()
    }
  }

  private func next() async throws -> Data? {
    let (data, resumes): (Data?, Bool) = try await wait { state in
      if !state.waiting.isEmpty {
        defer { (state.waiting, state.isSuspended) = (Data(), false) }
        return (state.waiting, state.isSuspended)
      }
      if state.end == nil { return nil }
      try state.end?.get()
      return (nil, false)
    }
    if resumes { control.async { [task] in task.resume() } }
    return data
  }

  /// Waits until `take` returns a result. If the task is canceled, the transfer ends.
  private func wait<Value>(_ take: (inout State) throws -> Value?) async throws -> Value {
    while true {
      try Task.checkCancellation()
      if let value = try lock.withLock({ try take(&state) }) { return value }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let hasChanged = lock.withLock {
            defer { state.hasChanged = false }
            if !state.hasChanged { state.reader = continuation }
            return state.hasChanged
          }
          if hasChanged { continuation.resume() }
        }
      } onCancel: {
        change { $0.end = $0.end ?? .failure(CancellationError()) }
        cancelTask()
      }
    }
  }

  private func cancel() {
    change { $0.end = $0.end ?? .failure(CancellationError()) }
    cancelTask()
  }

  private func change(_ body: (inout State) -> Void) {
    let reader = lock.withLock {
      body(&state)
      defer { state.reader = nil }
      state.hasChanged = state.reader == nil
      return state.reader
    }
    reader?.resume()
  }

  // MARK: The session

  func receive(_ response: URLResponse) {
    guard let head = response as? HTTPURLResponse, !(100..<200).contains(head.statusCode) else { return }
    change { $0.head = $0.head ?? head }
  }

  func receive(_ data: Data) {
    #if canImport(FoundationNetworking)
      var isUnwanted = false
      change { state in
        isUnwanted = state.end != nil
        if isUnwanted { return }
        state.append(data)
        guard state.waiting.count > Self.maximumWaitingBytes else { return }
        isUnwanted = true
        state.waiting = Data()
        state.end = .failure(URLError.tooManyWaiting(Self.maximumWaitingBytes))
      }
      if isUnwanted { cancelTask() }
    #else
      var (isUnwanted, mustSuspend) = (false, false)
      change { state in
        isUnwanted = state.end != nil
        if isUnwanted { return }
        state.append(data)
        mustSuspend = state.waiting.count > Self.suspensionBytes && !state.isSuspended
        if mustSuspend { state.isSuspended = true }
      }
      if isUnwanted {
        cancelTask()
      } else if mustSuspend {
        control.async { [task] in task.suspend() }
      }
    #endif
  }

  func complete(_ error: (any Error)?) {
    change { $0.end = $0.end ?? (error.map { .failure($0) } ?? .success(())) }
  }

  private func cancelTask() {
    control.async {
      if self.isCanceled || self.task.state == .completed { return }
      self.isCanceled = true
      #if canImport(FoundationNetworking)
        // A fast server would defer the cancellation until it pauses. The task's queue cancels in two steps.
        self.socketQueue?.suspend()
        self.task.cancel()
        for _ in 0..<2 { self.taskQueue?.sync {} }
        self.socketQueue?.resume()
      #else
        self.task.cancel()
      #endif
    }
  }

  /// Calls the completion handler of a redirect or a challenge unless the task was canceled.
  ///
  /// If a task was canceled between a redirect response and the call of its handler, FoundationNetworking traps in the
  /// handler, whatever its argument is. That handler only enqueues, so a later cancellation does not precede it.
  func callHandler(_ handler: @escaping @Sendable () -> Void) {
    control.async {
      #if canImport(FoundationNetworking)
        if self.isCanceled { return }
      #endif
      handler()
    }
  }
}
