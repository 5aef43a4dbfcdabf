import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Loads the body of one response, up to a maximum length.
final class BodyLoad: UpstreamLoad, @unchecked Sendable {
  /// A session that neither sends the app's cookies and credentials nor stores new ones.
  private static let session: UpstreamSession = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.urlCredentialStorage = nil
    return UpstreamSession(configuration, keepsURLCache: true)
  }()

  let queue = DispatchQueue(label: "WebPLoading.BodyLoad")
  let minimumBytesPerSecond = 256
  private let maximumBytes: Int
  private var body = Data()
  private var url: URL
  private var transfer: UpstreamTransfer?
  /// The caller that waits for the result. Nil before the start and after the end.
  private var continuation: CheckedContinuation<Loaded, any Error>?
  private var isCancelled = false

  typealias Loaded = (data: Data, url: URL)

  private init(_ url: URL, maximumBytes: Int) {
    self.url = url
    self.maximumBytes = maximumBytes
  }

  /// Loads `url`, and returns the body of the response and its URL after redirects. If the calling task is cancelled,
  /// the load is cancelled too.
  ///
  /// - Throws: `URLError`: `dataLengthExceedsMaximum` as soon as more than `maximumBytes` have arrived, `timedOut` if
  ///   bytes arrive too slowly, or `URLError(status:url:)` if the status is not 2xx.
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
      transfer = Self.session.start(URLRequest(url: url), for: self)
    }
  }

  private func cancel() {
    isCancelled = true
    end(.failure(URLError(.cancelled)))
  }

  private func end(_ result: Result<Loaded, any Error>) {
    transfer?.cancel()
    transfer = nil
    continuation?.resume(with: result)
    continuation = nil
  }

  func bodyLimit(for response: URLResponse) -> BodyLimit { .bytes(maximumBytes) }

  func didReceive(_ response: URLResponse) {
    url = response.url ?? url
    guard let status = (response as? HTTPURLResponse)?.statusCode, !(200..<300).contains(status) else { return }
    end(.failure(URLError(status: status, url: url)))
  }

  func didReceive(_ data: Data) {
    body.append(data)
  }

  func didComplete(_ error: (any Error)?) {
    end(error.map { .failure($0) } ?? .success((body, url)))
  }
}
