import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One task of an ``UpstreamSession`` and the load that receives its bytes. Thread-safe.
///
///     server ──▶ receive ──▶ waiting bytes ──▶ the load, on its queue
///                  │              └─ more than a limit: reading from the server is suspended
///                  └─ RIFF size reached: the body ends. Limit exceeded or rate too low: the load fails
///
/// The lock protects the accounting and `load`. The session's queue `control` makes all calls to the task, so that none
/// is made while a lock is held.
final class UpstreamTransfer: @unchecked Sendable {
  private let task: URLSessionTask
  #if canImport(FoundationNetworking)
    /// Suspended instead of the task. If a suspended task is resumed, FoundationNetworking repeats the request.
    private let reading: DispatchQueue?
    private let taskQueue: DispatchQueue?
  #endif
  private let control: DispatchQueue
  private let queue: DispatchQueue
  private let lock = NSLock()
  private var accounting = TransferAccounting(.bytes(0))
  /// The load. Nil after its last event, or if it has canceled the transfer.
  private var load: (any UpstreamLoad)?
  /// Indicates whether the load receives no further bytes. The server may still send some.
  private var isEnded = false
  /// Indicates whether the task was canceled. Accessed on `control`.
  private var isCanceled = false

  /// - Parameters:
  ///   - task: a task that was not resumed yet.
  ///   - load: the load that receives the bytes.
  ///   - session: the session of the task.
  ///   - control: the queue for calls to the task.
  init(_ task: URLSessionTask, _ load: any UpstreamLoad, session: URLSession, control: DispatchQueue) {
    self.task = task
    #if canImport(FoundationNetworking)
      reading = session.socketQueue
      taskQueue = TaskInternals.queue(of: task)
    #endif
    self.load = load
    self.control = control
    queue = load.queue
  }

  /// Cancels the transfer. If called on the load's queue, the load receives no further events.
  func cancel() {
    lock.withLock {
      isEnded = true
      load = nil
      take()
    }
    cancelTask()
  }

  /// Passes the response to the load, and begins to check the transfer rate.
  ///
  /// - Parameters:
  ///   - response: the response.
  ///   - rateSeconds: the time over which the rate is averaged, in seconds.
  func receive(_ response: URLResponse, rateSeconds: Double) {
    // Interim responses precede the final one (RFC 9110, section 15.2).
    if let status = (response as? HTTPURLResponse)?.statusCode, (100..<200).contains(status) { return }
    guard let load = lock.withLock({ load }) else { return }
    let limit = load.bodyLimit(for: response)
    lock.withLock { accounting = TransferAccounting(limit) }
    notify { $0.didReceive(response) }
    watchRate(load.minimumBytesPerSecond, over: rateSeconds)
  }

  func receive(_ data: Data) {
    // If the transfer has ended, the body is longer than its RIFF header specifies.
    let received: (ending: TransferAccounting.Ending?, isFirst: Bool)? = lock.withLock {
      if isEnded { return nil }
      defer { if accounting.suspendIfNeeded() { setReading(isSuspended: true) } }
      return accounting.receive(data)
    }
    guard let (ending, isFirst) = received else { return cancelTask() }
    if isFirst { queue.async { self.deliver() } }
    switch ending {
    // If no bytes follow, the task is not canceled, so that its connection can be used again.
    case .complete: complete(nil)
    case .tooLong(let maximum): fail(URLError.longerThan(maximum))
    case .tooManyWaiting(let maximum): fail(URLError.tooManyWaiting(maximum))
    case nil: break
    }
  }

  /// Notifies the load of the end. Further calls have no effect.
  func complete(_ error: (any Error)?) {
    let isFirst = lock.withLock {
      defer { isEnded = true }
      return !isEnded
    }
    guard isFirst else { return }
    notify { $0.didComplete(error) }
    queue.async { self.lock.withLock { self.load = nil } }
  }

  private func fail(_ error: URLError) {
    complete(error)
    cancelTask()
  }

  private func notify(_ event: @escaping @Sendable (any UpstreamLoad) -> Void) {
    queue.async { if let load = self.lock.withLock({ self.load }) { event(load) } }
  }

  private func deliver() {
    let (data, load) = lock.withLock { (take(), self.load) }
    if !data.isEmpty { load?.didReceive(data) }
  }

  // The next two methods are called with the lock held and only enqueue, so that nothing is resumed before it is
  // suspended.

  @discardableResult
  private func take() -> Data {
    let (data, resumes) = accounting.take()
    if resumes { setReading(isSuspended: false) }
    return data
  }

  private func setReading(isSuspended: Bool) {
    #if canImport(FoundationNetworking)
      if isSuspended { reading?.suspend() } else { reading?.resume() }
    #else
      control.async { [task] in if isSuspended { task.suspend() } else { task.resume() } }
    #endif
  }

  private func cancelTask() {
    control.async {
      if self.isCanceled || self.task.state == .completed { return }
      self.isCanceled = true
      #if canImport(FoundationNetworking)
        // A fast server would defer the cancellation until it pauses. The task's queue cancels in two steps.
        self.reading?.suspend()
        self.task.cancel()
        for _ in 0..<2 { self.taskQueue?.sync {} }
        self.reading?.resume()
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

  private func watchRate(_ minimumBytesPerSecond: Int, over seconds: Double) {
    guard minimumBytesPerSecond > 0 else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in
      guard let self, !self.lock.withLock({ self.isEnded }) else { return }
      let minimum = Double(minimumBytesPerSecond) * seconds
      if self.lock.withLock({ self.accounting.isTooSlow(minimum: minimum) }) {
        self.fail(URLError(.timedOut, "fewer than \(minimumBytesPerSecond) bytes per second arrived"))
      } else {
        self.watchRate(minimumBytesPerSecond, over: seconds)
      }
    }
  }
}

/// Receives the response to a request that an ``UpstreamSession`` sends. All methods except `bodyLimit(for:)` are
/// called on `queue`.
protocol UpstreamLoad: AnyObject, Sendable {
  var queue: DispatchQueue { get }
  /// The lowest transfer rate that the load accepts, averaged over the session's `timeoutIntervalForRequest`. 0 accepts
  /// any rate.
  var minimumBytesPerSecond: Int { get }
  /// Returns the bound on the body of `response`. Called on any thread, before any byte of the body arrives.
  func bodyLimit(for response: URLResponse) -> BodyLimit
  /// Called with the final response. Interim responses, whose status is from 100 to 199, are not reported.
  func didReceive(_ response: URLResponse)
  /// Called with all bytes that have arrived since the previous call.
  func didReceive(_ data: Data)
  /// Called once, at the end of the body or after an error. Not called after `UpstreamTransfer.cancel`.
  ///
  /// - Parameter error: the error, or nil at the end of the body.
  func didComplete(_ error: (any Error)?)
}

/// The bound that a load sets on the body of a response.
enum BodyLimit: Equatable {
  /// Any length, but at most the given number of bytes may wait for the load.
  case waiting(Int)
  /// At most the given number of bytes.
  case bytes(Int)
  /// At most `maximumBytes`. A WebP also ends at the position that its RIFF header specifies.
  case image(maximumBytes: Int)
  /// The same as `image` if the body is a WebP, and the same as `waiting` otherwise.
  case imageIfWebP(maximumBytes: Int, waiting: Int)
}
