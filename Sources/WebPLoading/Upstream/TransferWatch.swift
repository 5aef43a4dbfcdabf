import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Ends a transfer that delivers too few bytes while its load waits for them. The time in which the load does not wait
/// does not count.
final class TransferWatch: @unchecked Sendable {
  private let minimumBytesPerSecond: Int
  /// The waiting time over which the rate is averaged, in seconds.
  private let window: Double
  /// The time at which the transfer ends in any case.
  private let deadline: Double
  private let clock: TimeSource
  /// Protects the variables. Not held while another object is called.
  private let lock = NSLock()
  private var bytes = 0
  /// The waiting time in this window, without the current wait.
  private var waited = 0.0
  /// The start of the current wait.
  private var start: Double?
  private var failure: URLError?
  /// Ends the current wait.
  private var fail: (@Sendable (URLError) -> Void)?

  init(minimumBytesPerSecond: Int, _ configuration: URLSessionConfiguration, _ clock: TimeSource) {
    self.minimumBytesPerSecond = minimumBytesPerSecond
    window = configuration.timeoutIntervalForRequest
    deadline = clock.now() + configuration.timeoutIntervalForResource
    self.clock = clock
    if window > 0 { check(after: window) }
  }

  /// Begins a new window, because the head has arrived.
  func receivedHead() { lock.withLock { (bytes, waited) = (0, 0) } }

  func received(_ count: Int) { lock.withLock { bytes += count } }

  /// Waits for work of the transport. Ends immediately if the task is canceled or the transfer is too slow, even if the
  /// transport does not.
  ///
  /// - Throws: `URLError`, or `CancellationError`.
  func wait<Value: Sendable>(_ work: Work<Value>) async throws -> Value {
    defer {
      let now = clock.now()
      lock.withLock { end(now) }
    }
    do {
      return try await work.value { pending in
        let now = clock.now()
        let failure: URLError? = lock.withLock {
          start = now
          fail = { pending.finish(.failure($0)) }  // called by `check`, without the lock
          return self.failure
        }
        if let failure { pending.finish(.failure(failure)) }
      }
    } catch  where error is URLError || error is CancellationError {
      throw error
    } catch {
      throw URLError(.networkConnectionLost, "\(error)", cause: error)
    }
  }

  /// Called with the lock held.
  private func end(_ now: Double) {
    if let start { waited += now - start }
    start = nil
    fail = nil
  }

  private func check(after seconds: Double) {
    clock.after(seconds) { [weak self] in self?.check() }
  }

  private func check() {
    let now = clock.now()
    let (error, fail): (URLError?, (@Sendable (URLError) -> Void)?) = lock.withLock {
      if let start {
        waited += now - start
        self.start = now
      }
      if now >= deadline {
        failure = URLError(.timedOut, "the transfer exceeds timeoutIntervalForResource")
      } else if waited >= window * 0.999 {
        let minimum = max(1, Double(minimumBytesPerSecond) * window)
        if Double(bytes) < minimum {
          failure = URLError(.timedOut, "fewer than \(minimumBytesPerSecond) bytes per second arrived")
        }
        (bytes, waited) = (0, 0)
      }
      return (failure, self.fail)
    }
    if let error {
      fail?(error)
    } else {
      check(after: max(0.001, min(window - lock.withLock { waited }, deadline - now)))
    }
  }
}
