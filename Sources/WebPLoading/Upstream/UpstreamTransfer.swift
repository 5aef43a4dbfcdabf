import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One task of an ``UpstreamSession`` and the load that receives its bytes. Thread-safe.
///
///     server ──▶ receive ──▶ the load's queue ──▶ the load
///                  │              └─ holds too many bytes: the task is suspended until half of them are processed
///                  └─ RIFF size reached: end of the body; limit exceeded, or rate too low: an error
///
/// The bytes that wait in the load's queue are bounded by the load's limit. On Apple's systems they are also bounded by
/// `TransferAccounting.maximumQueuedBytes`.
final class UpstreamTransfer: @unchecked Sendable {
  // FoundationNetworking restarts the request when a suspended task is resumed, and delivers the body from its beginning.
  #if canImport(FoundationNetworking)
    private static let suspendsTasks = false
  #else
    private static let suspendsTasks = true
  #endif

  private static let cancellations = DispatchQueue(label: "WebPLoading.UpstreamTransfer.cancellations")

  private let task: URLSessionTask
  private let lock = NSLock()
  private var accounting = TransferAccounting(.unlimited)
  /// Nil after the load has been notified of the end. The server may still be sending then.
  private var receiver: (any UpstreamLoad)?
  private var isCancelled = false

  init(_ task: URLSessionTask, _ load: any UpstreamLoad) {
    self.task = task
    receiver = load
  }

  private var load: (any UpstreamLoad)? { lock.withLock { receiver } }

  /// - Parameter rateSeconds: the time over which the rate is averaged.
  func receive(_ response: URLResponse, rateSeconds: Double) {
    guard let load else { return }
    let limit = load.bodyLimit(for: response)
    lock.withLock { accounting = TransferAccounting(limit) }
    load.queue.async { load.didReceive(response) }
    watchRate(load.minimumBytesPerSecond, over: rateSeconds)
  }

  func receive(_ data: Data) {
    guard let load else {
      // The body is longer than its RIFF header specifies.
      cancelTask()
      return
    }
    let (accepted, ending) = lock.withLock { accounting.receive(data) }
    if accepted > 0 {
      load.queue.async {
        load.didReceive(data.prefix(accepted))
        self.didProcess(accepted)
      }
    }
    switch ending {
    case .complete:
      complete(nil)
      // If the body ends here, the connection can serve another request.
      if accepted < data.count { cancelTask() }
    case .tooLong(let maximum): cancel(URLError.longerThan(maximum))
    case nil: suspendIfNeeded()
    }
  }

  /// Notifies the load of the end, once.
  func complete(_ error: (any Error)?) {
    let load = lock.withLock {
      defer { receiver = nil }
      return receiver
    }
    load?.queue.async { load?.didComplete(error) }
  }

  private func cancel(_ error: URLError) {
    complete(error)
    cancelTask()
  }

  /// Cancels once, without waiting. `cancel` waits for FoundationNetworking's queue. Meanwhile that queue may read from a fast
  /// server, and the calls of the delegate would pile up.
  private func cancelTask() {
    let isFirst = lock.withLock {
      defer { isCancelled = true }
      return !isCancelled
    }
    if isFirst { Self.cancellations.async { [task] in task.cancel() } }
  }

  // The lock is held, so that a task is not resumed before it is suspended.

  private func suspendIfNeeded() {
    guard Self.suspendsTasks else { return }
    lock.withLock { if accounting.suspendIfNeeded() { task.suspend() } }
  }

  private func didProcess(_ count: Int) {
    lock.withLock { if accounting.didProcess(count) { task.resume() } }
  }

  private func watchRate(_ minimumBytesPerSecond: Int, over seconds: Double) {
    guard minimumBytesPerSecond > 0 else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in
      guard let self, self.load != nil else { return }
      let minimum = Double(minimumBytesPerSecond) * seconds
      if self.lock.withLock({ self.accounting.isTooSlow(minimum: minimum) }) {
        self.cancel(URLError(.timedOut, "fewer than \(minimumBytesPerSecond) bytes per second arrived"))
      } else {
        self.watchRate(minimumBytesPerSecond, over: seconds)
      }
    }
  }
}
