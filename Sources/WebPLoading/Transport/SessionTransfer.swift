import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One task of a ``WebP/URLSessionTransport``, and the bytes that wait for the reader. Thread-safe.
///
/// On Apple's systems, the task is suspended while more than `maximumWaitingBytes` wait. On Linux, the transfer fails
/// instead, because FoundationNetworking repeats the request of a suspended task.
final class SessionTransfer: Sendable {
  #if canImport(FoundationNetworking)
    static let maximumWaitingBytes = 64 << 20
    private let session: URLSession
  #else
    private static let maximumWaitingBytes = 1 << 20
    /// Changed on `control`.
    private let isSuspended = Locked(false)
  #endif
  private let task: URLSessionTask
  private let control: DispatchQueue
  private let inbox = Inbox<HTTPURLResponse>()
  /// Indicates whether the task was canceled. Changed on `control`.
  private let isCanceled = Locked(false)

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
      self.session = session
    #endif
  }

  // MARK: The reader

  /// Waits for the head. The body must be retained meanwhile.
  func head() async throws -> HTTPURLResponse {
    try await withTaskCancellationHandler {
      try await inbox.takeHead()
    } onCancel: {
      cancelTask()
    }
  }

  private func next() async throws -> Data? {
    try await withTaskCancellationHandler {
      let data = try await inbox.next()
      if let data, data.count > Self.maximumWaitingBytes { updateSuspension() }
      return data
    } onCancel: {
      cancelTask()
    }
  }

  private func cancel() {
    inbox.cancel()
    cancelTask()
  }

  // MARK: The session

  func receive(_ response: URLResponse) {
    guard let head = response as? HTTPURLResponse, !(100..<200).contains(head.statusCode) else { return }
    inbox.receive(head)
  }

  func receive(_ data: Data) {
    guard let waitingCount = inbox.receive(data) else { return cancelTask() }
    if waitingCount > Self.maximumWaitingBytes { updateSuspension() }
  }

  /// Called when more bytes wait than permitted, and when they do not wait any more.
  private func updateSuspension() {
    #if canImport(FoundationNetworking)
      if inbox.waitingCount > Self.maximumWaitingBytes {
        inbox.fail(URLError.tooManyWaiting(Self.maximumWaitingBytes))
        cancelTask()
      }
    #else
      control.async {
        let isFull = self.inbox.waitingCount > Self.maximumWaitingBytes
        let isChanged = self.isSuspended.withLock { isSuspended in
          defer { isSuspended = isFull }
          return isSuspended != isFull
        }
        guard isChanged else { return }
        if isFull { self.task.suspend() } else { self.task.resume() }
      }
    #endif
  }

  func complete(_ error: (any Error)?) { inbox.end(error.map { .failure($0) } ?? .success(())) }

  private func cancelTask() {
    control.async {
      if self.task.state == .completed { return }
      let isFirst = self.isCanceled.withLock { isCanceled in
        defer { isCanceled = true }
        return !isCanceled
      }
      guard isFirst else { return }
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
        if self.isCanceled.withLock({ $0 }) { return }
      #endif
      handler()
    }
  }
}
