import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One task of an ``UpstreamSession`` and the load that receives its bytes. Thread-safe.
///
///     server ──▶ receive ──▶ the load's queue ──▶ the load
///                  │              └─ too many bytes wait: the task is suspended until half of them are processed
///                  └─ RIFF size reached: the body ends. Limit exceeded or rate too low: the load fails
///
/// The load's limit bounds the bytes that wait in its queue. On Apple's systems,
/// `TransferAccounting.maximumQueuedBytes` bounds them too.
final class UpstreamTransfer: @unchecked Sendable {
  // If a suspended task is resumed, FoundationNetworking repeats the request and delivers the body from its beginning.
  #if canImport(FoundationNetworking)
    private static let suspendsTasks = false
  #else
    private static let suspendsTasks = true
  #endif

  private static let cancellations = DispatchQueue(label: "WebPLoading.UpstreamTransfer.cancellations")

  private let task: URLSessionTask
  private let lock = NSLock()
  private var accounting = TransferAccounting(.unlimited)
  /// The load. Nil after it was notified of the end. The server may still send bytes then.
  private var receiver: (any UpstreamLoad)?
  private var isCancelled = false

  init(_ task: URLSessionTask, _ load: any UpstreamLoad) {
    self.task = task
    receiver = load
  }

  private var load: (any UpstreamLoad)? { lock.withLock { receiver } }

  /// Passes the response to the load, and begins to check the transfer rate.
  ///
  /// - Parameters:
  ///   - response: the response.
  ///   - rateSeconds: the time over which the rate is averaged, in seconds.
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
      // If no bytes follow, the task is not canceled, so that its connection can be used again.
      if accepted < data.count { cancelTask() }
    case .tooLong(let maximum): cancel(URLError.longerThan(maximum))
    case nil: suspendIfNeeded()
    }
  }

  /// Notifies the load of the end. Further calls have no effect.
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

  /// Cancels the task on another queue. On Linux, `cancel` waits for FoundationNetworking's queue, which may read from
  /// a fast server in the meantime. The data would accumulate if the delegate waited. Further calls have no effect.
  private func cancelTask() {
    let isFirst = lock.withLock {
      defer { isCancelled = true }
      return !isCancelled
    }
    if isFirst { Self.cancellations.async { [task] in task.cancel() } }
  }

  // The next two methods hold the lock while they suspend or resume the task. Otherwise the task might be resumed
  // before it is suspended.

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
