import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import PureWebP
import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends the requests of image loaders and pages with AsyncHTTPClient.
///
/// ```swift
/// let loader = WebP.ImageLoader(transport: AsyncHTTPClientTransport())
/// ```
///
/// When the last copy of the transport and all bodies are released, the client is shut down.
nonisolated struct AsyncHTTPClientTransport: WebP.Transport {
  private let owner: Owner

  /// Creates a transport with a client of its own.
  ///
  /// - Parameter configuration: the configuration of the client: TLS, proxy, timeouts. The module itself follows
  ///   redirects and retries. Compressed bodies are expanded at most a hundredfold.
  init(_ configuration: HTTPClient.Configuration = .init()) {
    var configuration = configuration
    configuration.redirectConfiguration = .disallow
    configuration.decompression = .enabled(limit: .ratio(100))
    configuration.connectionPool.retryConnectionEstablishment = false
    owner = Owner(HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration))
  }

  /// The client has neither priorities nor an option for invalid certificates.
  func send(_ request: URLRequest, options: WebP.TransportOptions) async throws -> WebP.TransportResponse {
    guard let url = request.url else { throw URLError(.badURL) }
    var sent = HTTPClientRequest(url: url.absoluteString)
    sent.method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
    for (name, value) in request.allHTTPHeaderFields ?? [:] { sent.headers.add(name: name, value: value) }
    if let body = request.httpBody { sent.body = .bytes(body) }
    let response = try await urlErrors { try await owner.client.execute(sent, deadline: .distantFuture) }
    return WebP.TransportResponse(
      status: Int(response.status.code), fields: response.headers.map { (name: $0.name, value: $0.value) },
      body: Body(response.body.makeAsyncIterator(), owner))
  }

  /// Shuts the client down when nothing uses it any more.
  private final class Owner: Sendable {
    let client: HTTPClient

    init(_ client: HTTPClient) { self.client = client }

    deinit { client.shutdown { [client] _ in withExtendedLifetime(client) {} } }
  }

  /// Reads the body. The client ends the transfer when the iterator is released.
  private final class Body: WebP.TransportBody, @unchecked Sendable {
    /// Used by one caller at a time.
    private var iterator: HTTPClientResponse.Body.AsyncIterator
    private let owner: Owner

    init(_ iterator: HTTPClientResponse.Body.AsyncIterator, _ owner: Owner) {
      self.iterator = iterator
      self.owner = owner
    }

    func next() async throws -> Data? {
      var next = iterator
      defer { iterator = next }
      while let part = try await urlErrors({ try await next.next() }) {
        if part.readableBytes > 0 { return Data(part.readableBytesView) }
      }
      return nil
    }
  }
}

/// Translates the errors that decide about retries. The module reports others as lost connections.
nonisolated private func urlErrors<Value>(_ operation: () async throws -> Value) async throws -> Value {
  do {
    return try await operation()
  } catch let error as HTTPClientError {
    switch error {
    case .cancelled: throw CancellationError()
    case .connectTimeout, .readTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout: throw URLError(.timedOut)
    case .invalidURL, .emptyHost, .emptyScheme: throw URLError(.badURL)
    default: throw error
    }
  }
}
