import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One task of a ``URLSessionTransport``, and the bytes that wait for the reader. Thread-safe.
///
/// On Apple's systems, the task is suspended while more than `maximumWaitingBytes` wait. On Linux, the transfer fails
/// instead, because FoundationNetworking repeats the request of a suspended task.
final class SessionTransfer: @unchecked Sendable {
  #if canImport(FoundationNetworking)
    static let maximumWaitingBytes = 64 << 20
    private let session: URLSession
  #else
    private static let maximumWaitingBytes = 1 << 20
    /// Accessed on `control`.
    private var isSuspended = false
  #endif
  private let task: URLSessionTask
  private let control: DispatchQueue
  /// Protects `state`. Not held while another object is called.
  private let lock = NSLock()
  private var state = State()
  /// Indicates whether the task was canceled. Accessed on `control`.
  private var isCanceled = false

  enum Reader {
    case head(Work<HTTPURLResponse>.Handler)
    case body(Work<Data?>.Handler)
  }

  private struct State {
    var head: HTTPURLResponse?
    var waiting = Data()
    /// The end of the body, or the error.
    var end: Result<Void, any Error>?
    /// The reader, while it waits.
    var reader: Reader?

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

    func next() async throws -> Data? { try await pulling.value() }

    var pulling: Work<Data?> {
      Work { [transfer] handler in
        transfer.wait(.body(handler))
        return transfer.cancel
      }
    }
  }

  /// - Parameters:
  ///   - task: a task that was not resumed yet.
  ///   - session: the session of the task.
  ///   - control: the queue for calls to the task.
  init(_ task: URLSessionTask, session: URLSession, control: DispatchQueue) {
    self.task = task
    self.control = control
    #if canImport(FoundationNetworking)
      self.session = session
    #endif
  }

  // MARK: The reader

  func wait(_ reader: Reader) { change { $0.reader = reader } }

  func cancel() {
    change { $0.end = $0.end ?? .failure(CancellationError()) }
    cancelTask()
  }

  /// Changes the state, and calls the reader if it waits for what has arrived. `body` only changes the state, because
  /// the lock is held. The reader is called without it.
  private func change(_ body: (inout State) -> Void) {
    let call: (() -> Void)? = lock.withLock {
      body(&state)
      let call = takeCall()
      if call != nil { state.reader = nil }
      return call
    }
    call?()
  }

  /// Called with the lock held.
  private func takeCall() -> (() -> Void)? {
    switch state.reader {
    case .head(let handler):
      if let head = state.head { return { handler(.success(head)) } }
      guard let end = state.end else { return nil }
      return { handler(end.flatMap { .failure(URLError(.badServerResponse, "there is no response")) }) }
    case .body(let handler):
      if state.waiting.isEmpty {
        guard let end = state.end else { return nil }
        return { handler(end.map { nil }) }
      }
      let data = state.waiting
      state.waiting = Data()
      return {
        if data.count > Self.maximumWaitingBytes { self.updateSuspension() }
        handler(.success(data))
      }
    case nil: return nil
    }
  }

  // MARK: The session

  func receive(_ response: URLResponse) {
    guard let head = response as? HTTPURLResponse, !(100..<200).contains(head.statusCode) else { return }
    change { $0.head = $0.head ?? head }
  }

  func receive(_ data: Data) {
    var (isUnwanted, isFull) = (false, false)
    change { state in
      isUnwanted = state.end != nil
      if isUnwanted { return }
      state.append(data)
      isFull = state.waiting.count > Self.maximumWaitingBytes
      #if canImport(FoundationNetworking)
        if isFull { (state.waiting, state.end) = (Data(), .failure(URLError.tooManyWaiting(Self.maximumWaitingBytes))) }
      #endif
    }
    if isFull { updateSuspension() }
    if isUnwanted { cancelTask() }
  }

  /// Called when more bytes wait than permitted, and when they do not wait any more.
  private func updateSuspension() {
    #if canImport(FoundationNetworking)
      cancelTask()
    #else
      control.async {
        let isFull = self.lock.withLock { self.state.waiting.count > Self.maximumWaitingBytes }
        if isFull == self.isSuspended { return }
        self.isSuspended = isFull
        if isFull { self.task.suspend() } else { self.task.resume() }
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
        // A fast server would defer the cancellation until it pauses. The task's queue cancels in two steps. Each
        // further call only waits for that queue.
        let socketQueue = self.session.socketQueue
        socketQueue?.suspend()
        for _ in 0..<3 { self.task.cancel() }
        socketQueue?.resume()
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
