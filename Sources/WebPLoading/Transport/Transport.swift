import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension WebP {
  /// Sends HTTP requests for image loaders, web views and the URL protocol. ``URLSessionTransport`` is the default.
  ///
  /// A transport sends one request and returns one response. Redirects, cookies, caching, retries, timeouts, limits of
  /// bodies and the minimum transfer rate are not its concern: the module does all that once for all transports.
  ///
  /// - It follows no redirect, and neither sends nor stores cookies that are not in the request's headers.
  /// - It skips interim responses, whose status is from 100 to 199 (RFC 9110, section 15.2).
  /// - It expands bodies with a content coding that the request's `Accept-Encoding` names, and throws an error if the
  ///   expansion is much larger than the body, for example a hundredfold. The module asks for `identity`; the
  ///   request of an app can ask for `gzip`.
  /// - It applies back-pressure: only a bounded number of bytes waits.
  /// - When the task that waits in `send` or `next` is canceled, or the body is released, the transfer ends.
  /// - Neither `send` nor `next` blocks a thread while it waits. Both run on the threads that all tasks of the process
  ///   share, of which there is one per processor, so a blocked one delays all other loads.
  ///
  /// TLS, proxies and HTTP authentication are the concern of a transport. For its tests, see
  /// <doc:WebPLoading#Your-own-transport>. A transport can wrap another one, for example to sign, log, count or rewrite
  /// requests:
  ///
  /// ```swift
  /// struct KeyedTransport: WebP.Transport {
  ///   let key: String
  ///   let host: String
  ///   let base = WebP.URLSessionTransport()
  ///
  ///   func send(_ request: URLRequest, options: WebP.TransportOptions) async throws -> WebP.TransportResponse {
  ///     var request = request
  ///     // Redirects to other hosts must not get the key.
  ///     if request.url?.host == host { request.setValue(key, forHTTPHeaderField: "X-API-Key") }
  ///     return try await base.send(request, options: options)
  ///   }
  /// }
  /// ```
  ///
  /// The module does not see headers that a transport adds. It removes no credentials from them at redirects, and all
  /// partitions of a cache share the response, unless the server marks it as `private` or `no-store`. If the response
  /// depends on the user, set the header in the request of the load instead.
  public protocol Transport: Sendable {
    /// Sends a request and waits for the head of the response.
    ///
    /// - Parameters:
    ///   - request: a request with an http or https URL. The transport adds only the headers of the connection: `Host`,
    ///     `Connection`, and the length of the body, which is in `httpBody`.
    ///   - options: the options, which a transport may ignore.
    /// - Throws: any error if there is no valid response. `CancellationError` and `URLError` stay as they are, other
    ///   errors become `URLError.networkConnectionLost`. Retried are `timedOut`, `cannotFindHost`, `dnsLookupFailed`,
    ///   `cannotConnectToHost`, `notConnectedToInternet`, `networkConnectionLost` and `unknown`.
    func send(_ request: URLRequest, options: TransportOptions) async throws -> TransportResponse
  }

  /// The wishes of a load besides its request. A transport that ignores an option stays correct.
  public struct TransportOptions: Hashable, Sendable {
    /// The priority among the running requests, from 0 to 1. By default 0.5, as for `URLSessionTask`.
    public var priority: Float
    /// Indicates whether any server certificate is accepted. A transport that ignores this option accepts only valid
    /// ones.
    public var allowsInvalidCertificates: Bool

    /// Creates options.
    public init(priority: Float = 0.5, allowsInvalidCertificates: Bool = false) {
      self.priority = priority
      self.allowsInvalidCertificates = allowsInvalidCertificates
    }
  }

  /// The body of a response. An actor can be one.
  public protocol TransportBody: AnyObject, Sendable {
    /// Waits for the next bytes. Not called again before it has returned.
    ///
    /// - Returns: at least one byte, or nil at the end of a complete body. If there are no bytes, the load fails.
    /// - Throws: any error if the body is incomplete, see ``Transport/send(_:options:)``.
    func next() async throws -> Data?
  }

  /// A response without its body, and the object that delivers the body.
  public struct TransportResponse: Sendable {
    /// The status code.
    public let status: Int
    /// The header fields in their order. Fields with equal names stay separate. `Content-Encoding` and
    /// `Content-Length` remain if the body was expanded.
    public let fields: [(name: String, value: String)]
    /// The body.
    public let body: any TransportBody

    /// Creates a response.
    public init(status: Int, fields: [(name: String, value: String)], body: any TransportBody) {
      self.status = status
      self.fields = fields
      self.body = body
    }
  }
}
