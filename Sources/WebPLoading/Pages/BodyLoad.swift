import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The body of one response, which may not be larger than the one who asks can take.
final class BodyLoad: InnerLoad, @unchecked Sendable {
  /// What pages name is asked for by nobody in particular: without the app's cookies and credentials, and none are kept
  /// of what comes back.
  private static let session: InnerSession = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.urlCredentialStorage = nil
    return InnerSession(configuration, keepsURLCache: true)
  }()

  let queue = DispatchQueue(label: "WebPLoading.BodyLoad")
  private let maximumBytes: Int
  private var body = Data()
  private var url: URL
  private var task: URLSessionTask?
  /// Nil before the start and after the end.
  private var continuation: CheckedContinuation<Loaded, any Error>?
  private var isCancelled = false

  typealias Loaded = (data: Data, url: URL)

  private init(_ url: URL, maximumBytes: Int) {
    self.url = url
    self.maximumBytes = maximumBytes
  }

  /// The body of a response with a status of 2xx, and the response's URL. Cancelled with the task that it is called from.
  ///
  /// - Throws: `URLError`, which tells of other statuses, and is `dataLengthExceedsMaximum` as soon as there are more than
  ///   `maximumBytes`.
  static func body(of url: URL, maximumBytes: Int) async throws -> Loaded {
    let load = BodyLoad(url, maximumBytes: maximumBytes)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        load.queue.async { load.start(continuation) }
      }
    } onCancel: {
      load.queue.async { load.cancel() }
    }
  }

  private func start(_ continuation: CheckedContinuation<Loaded, any Error>) {
    self.continuation = continuation
    if isCancelled {
      end(.failure(URLError(.cancelled)))
    } else {
      task = Self.session.start(URLRequest(url: url), for: self)
    }
  }

  private func cancel() {
    isCancelled = true
    end(.failure(URLError(.cancelled)))
  }

  private func end(_ result: Result<Loaded, any Error>) {
    task?.cancel()
    task = nil
    continuation?.resume(with: result)
    continuation = nil
  }

  func didReceive(_ response: URLResponse) {
    url = response.url ?? url
    guard let status = (response as? HTTPURLResponse)?.statusCode, !(200..<300).contains(status) else { return }
    end(.failure(URLError(status: status, url: url)))
  }

  func didReceive(_ data: Data) {
    body.append(data)
    if body.count > maximumBytes { end(.failure(URLError.longerThan(maximumBytes))) }
  }

  func didComplete(_ error: (any Error)?) {
    end(error.map { .failure($0) } ?? .success((body, url)))
  }
}
