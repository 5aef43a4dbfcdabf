import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension WebP {
  /// Sends HTTP requests for image loaders, web views and the URL protocol. The default is a `URLSession`.
  ///
  /// A transport sends one request and returns one response. Redirects, cookies, caching, retries, timeouts, limits of
  /// bodies and the minimum transfer rate are not its concern: the module does all that once for all transports.
  ///
  /// - It follows no redirect, and neither sends nor stores cookies that are not in the request's headers.
  /// - It skips interim responses, whose status is from 100 to 199 (RFC 9110, section 15.2).
  /// - It expands bodies with a content coding that the request's `Accept-Encoding` names, and throws an error if the
  ///   expansion is much larger than the body, for example a hundredfold. The module asks for `identity`; the
  ///   request of an app can ask for `gzip`.
  /// - It reads nothing faster than it is taken: only a bounded number of bytes waits.
  /// - When the task that waits in `send` or `next` is canceled, or the body is released, the transfer ends.
  ///
  /// TLS, proxies and HTTP authentication are the concern of a transport. For its tests, see
  /// <doc:WebPLoading#Your-own-transport>.
  public protocol Transport: Sendable {
    /// Sends a request and waits for the head of the response.
    ///
    /// - Parameter request: a request with an http or https URL. The transport adds only the headers of the connection:
    ///   `Host`, `Connection`, and the length of the body, which is in `httpBody`.
    /// - Throws: any error if there is no valid response. `CancellationError` and `URLError` stay as they are, other
    ///   errors become `URLError.networkConnectionLost`. Retried are `timedOut`, `cannotFindHost`, `dnsLookupFailed`,
    ///   `cannotConnectToHost`, `notConnectedToInternet`, `networkConnectionLost` and `unknown`.
    func send(_ request: URLRequest) async throws -> TransportResponse
  }

  /// The body of a response. An actor can be one.
  public protocol TransportBody: AnyObject, Sendable {
    /// Waits for the next bytes. Not called again before it has returned.
    ///
    /// - Returns: at least one byte, or nil at the end of a complete body.
    /// - Throws: any error if the body is incomplete, see ``Transport/send(_:)``.
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
