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

  typealias Loaded = (data: Data, url: URL)
  private typealias Results = AsyncThrowingStream<Loaded, any Error>

  let queue = DispatchQueue(label: "WebPLoading.BodyLoad")
  let minimumBytesPerSecond = 256
  private let maximumBytes: Int
  private let result: Results.Continuation
  private var body = Data()
  private var url: URL

  private init(_ url: URL, maximumBytes: Int, _ result: Results.Continuation) {
    self.url = url
    self.maximumBytes = maximumBytes
    self.result = result
  }

  /// Loads `url`, and returns the body of the response and its URL after redirects. If the calling task is cancelled,
  /// the load is cancelled too.
  ///
  /// - Throws: `URLError`: `dataLengthExceedsMaximum` as soon as more than `maximumBytes` have arrived, `timedOut` if
  ///   bytes arrive too slowly, or `URLError(status:url:)` if the status is not 2xx.
  static func body(of url: URL, maximumBytes: Int) async throws -> Loaded {
    let (results, continuation) = Results.makeStream()
    let load = BodyLoad(url, maximumBytes: maximumBytes, continuation)
    let transfer = session.start(URLRequest(url: url), for: load)
    continuation.onTermination = { _ in load.queue.async { transfer.cancel() } }
    for try await result in results { return result }
    throw URLError(.cancelled)
  }

  func bodyLimit(for response: URLResponse) -> BodyLimit { .bytes(maximumBytes) }

  func didReceive(_ response: URLResponse) {
    url = response.url ?? url
    guard let status = (response as? HTTPURLResponse)?.statusCode, !(200..<300).contains(status) else { return }
    result.finish(throwing: URLError(status: status, url: url))
  }

  func didReceive(_ data: Data) { body.append(data) }

  func didComplete(_ error: (any Error)?) {
    if error == nil { result.yield((body, url)) }
    result.finish(throwing: error)
  }
}
