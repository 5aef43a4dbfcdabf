import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLSession {
  /// For whoever has no session of their own.
  static let plain: URLSession = {
    let configuration = URLSessionConfiguration.default
    configuration.avoidTrapOfCancelling()
    return URLSession(configuration: configuration)
  }()

  /// The body of a response with a status of 2xx. Cancelled with the task that it is called from.
  ///
  /// - Throws: `URLError`; `badServerResponse` for other statuses.
  func body(of request: URLRequest) async throws -> Data {
    // The session's own method is only there from iOS 15 and macOS 12 on.
    let running = RunningTask()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let task = dataTask(with: request) { data, response, error in
          if let error {
            continuation.resume(throwing: error)
          } else if let status = (response as? HTTPURLResponse)?.statusCode, !(200..<300).contains(status) {
            continuation.resume(throwing: URLError(.badServerResponse))
          } else {
            continuation.resume(returning: data ?? Data())
          }
        }
        task.resume()
        running.start(task)
      }
    } onCancel: {
      running.cancel()
    }
  }
}

/// A task that may be cancelled before there is one.
private final class RunningTask: @unchecked Sendable {
  private let lock = NSLock()
  private var task: URLSessionTask?
  private var isCancelled = false

  func start(_ task: URLSessionTask) {
    let isLate = lock.withLock {
      self.task = task
      return isCancelled
    }
    if isLate { task.cancel() }
  }

  func cancel() {
    let task = lock.withLock {
      isCancelled = true
      return self.task
    }
    task?.cancel()
  }
}
