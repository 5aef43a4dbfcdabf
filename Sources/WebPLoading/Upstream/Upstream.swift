import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends the requests of loads through a transport, and follows redirects (RFC 9110, section 15.4).
///
/// The additional headers, the timeouts and the cookies of the configuration apply to all transports.
package final class Upstream: @unchecked Sendable {
  private static let maximumRedirects = 20

  /// Never changed after `init`.
  private let configuration: URLSessionConfiguration
  private let transport: any WebP.Transport
  private let clock: TimeSource
  /// The part of the cache for private responses.
  package let partition: WebP.ImageCache.Partition
  private let allowsInvalidCertificates: Bool

  /// - Parameters:
  ///   - configuration: the configuration of all requests.
  ///   - transport: sends the requests. If nil, a session with the configuration.
  ///   - keepsURLCache: whether the session uses the configuration's `URLCache`.
  ///   - partition: the part of the cache for private responses.
  package init(
    _ configuration: URLSessionConfiguration, transport: (any WebP.Transport)? = nil, keepsURLCache: Bool,
    partition: WebP.ImageCache.Partition = .init(nil), allowsInvalidCertificates: Bool = false,
    clock: TimeSource = TimeSource()
  ) {
    self.partition = partition
    self.allowsInvalidCertificates = allowsInvalidCertificates
    self.configuration = configuration.copy() as! URLSessionConfiguration
    self.transport =
      transport
      ?? URLSessionTransport(
        configuration, keepsURLCache: keepsURLCache, allowsInvalidCertificates: allowsInvalidCertificates)
    self.clock = clock
  }

  /// Returns the request with the headers that the configuration adds, and with its cache policy if the request has
  /// none. The cache needs both to decide about the request.
  package func completed(_ request: URLRequest) -> URLRequest {
    var completed = request.withPolicy(of: configuration)
    for (field, value) in configuration.httpAdditionalHeaders ?? [:] {
      guard request.value(forHTTPHeaderField: "\(field)") == nil else { continue }
      completed.setValue("\(value)", forHTTPHeaderField: "\(field)")
    }
    return completed
  }

  /// Sends a request, follows redirects, and waits for the head of the last response.
  ///
  /// - Parameters:
  ///   - minimumBytesPerSecond: the lowest transfer rate, averaged over the configuration's
  ///     `timeoutIntervalForRequest`. 0 accepts any rate.
  ///   - priority: the priority of the task, if the transport is a session.
  /// - Throws: `URLError`, or `CancellationError`.
  package func send(
    _ request: URLRequest, minimumBytesPerSecond: Int = 0, priority: Float = URLSessionTask.defaultPriority
  ) async throws -> Transfer {
    var request = completed(request)
    request.url = request.url?.withLowercaseScheme
    var isPrivate = allowsInvalidCertificates
    for _ in 0...Self.maximumRedirects {
      guard let url = request.url, url.isHTTP else { throw URLError.otherThanHTTP }
      addCookies(for: url, to: &request)
      let watch = TransferWatch(minimumBytesPerSecond: minimumBytesPerSecond, configuration, clock)
      let sent = request
      let sending =
        (transport as? URLSessionTransport)?.sending(sent, priority: priority)
        ?? Work { [transport] in try await transport.send(sent) }
      let response = try await watch.wait(sending)
      watch.receivedHead()
      storeCookies(of: response, from: url, for: request)
      guard response.status >= 200, let head = HTTPURLResponse(response, url: url) else {
        throw URLError(.badServerResponse, "invalid status \(response.status)", url: url)
      }
      isPrivate = isPrivate || hasCredentials(request) || head.isPrivate
      guard let next = try request.redirected(by: head) else {
        return Transfer(head, to: request.method, isPrivate: isPrivate, response.body, watch)
      }
      request = next
    }
    throw URLError(.httpTooManyRedirects, "more than \(Self.maximumRedirects) redirects", url: request.url)
  }

  /// Returns whether the request has credentials, or gets some from the storage.
  private func hasCredentials(_ request: URLRequest) -> Bool {
    if ["Authorization", "Cookie"].contains(where: { request.value(forHTTPHeaderField: $0) != nil }) { return true }
    let host = request.url?.host?.lowercased()
    return configuration.urlCredentialStorage?.allCredentials.keys.contains { $0.host.lowercased() == host } ?? false
  }

  // MARK: Cookies

  private func addCookies(for url: URL, to request: inout URLRequest) {
    guard request.httpShouldHandleCookies, configuration.httpShouldSetCookies,
      let cookies = configuration.httpCookieStorage?.cookies(for: url), !cookies.isEmpty
    else { return }
    request.setValue(HTTPCookie.requestHeaderFields(with: cookies)["Cookie"], forHTTPHeaderField: "Cookie")
  }

  private func storeCookies(of response: WebP.TransportResponse, from url: URL, for request: URLRequest) {
    guard request.httpShouldHandleCookies, let storage = configuration.httpCookieStorage,
      configuration.httpCookieAcceptPolicy != .never
    else { return }
    let cookies = response.fields.filter { $0.name.lowercased() == "set-cookie" }.flatMap {
      HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": $0.value], for: url)
    }
    // Otherwise, the storage itself checks the domain of the main document.
    let main = configuration.httpCookieAcceptPolicy == .onlyFromMainDocumentDomain ? request.mainDocumentURL : nil
    guard !cookies.isEmpty, main == nil || main?.host?.lowercased() == url.host?.lowercased() else { return }
    storage.setCookies(cookies, for: url, mainDocumentURL: request.mainDocumentURL)
  }
}

extension HTTPURLResponse {
  /// Fields with equal names become one (RFC 9110, section 5.3).
  fileprivate convenience init?(_ response: WebP.TransportResponse, url: URL) {
    let fields = [String: (String, String)](response.fields.map { ($0.name.lowercased(), ($0.name, $0.value)) }) {
      ($0.0, "\($0.1), \($1.1)")
    }
    self.init(
      url: url, statusCode: response.status, httpVersion: "HTTP/1.1",
      headerFields: [String: String](fields.values.map { $0 }) { first, _ in first })
  }

  /// The length of the body, in bytes. Nil if it is unknown, or if the body is compressed.
  var bodyLength: Int? {
    guard ["", "identity"].contains(value(forHTTPHeaderField: "Content-Encoding")?.lowercased() ?? "") else {
      return nil
    }
    return StatedNumber(onlyOf: value(forHTTPHeaderField: "Content-Length"))?.value
  }
}

extension URLRequest {
  /// Returns the request to the URL that a response redirects to, or nil if the response is not a redirect.
  ///
  /// - Throws: `URLError` if the URL is not an http or https URL.
  fileprivate func redirected(by response: HTTPURLResponse) throws -> URLRequest? {
    let status = response.statusCode
    guard [301, 302, 303, 307, 308].contains(status), let location = response.value(forHTTPHeaderField: "Location")
    else { return nil }
    guard let target = URL(string: location, relativeTo: url)?.absoluteURL, target.isHTTP else {
      throw URLError(.unsupportedURL, "the server redirects to a URL that is not an http or https URL", url: url)
    }
    var request = self
    request.url = target.withLowercaseScheme
    if (status == 303 && method != "HEAD") || (status < 303 && method == "POST") {
      request.httpMethod = "GET"
      request.httpBody = nil
      for field in ["Content-Type", "Content-Length"] { request.setValue(nil, forHTTPHeaderField: field) }
    }
    // Validators identify a version of the original URL. Without `If-Range`, `Range` may select a part of another file.
    let isResumed = value(forHTTPHeaderField: "If-Range") != nil
    var dropped = ["If-None-Match", "If-Modified-Since", "If-Range"] + (isResumed ? ["Range"] : [])
    // Credentials for one origin must not be sent to another one. Cookies are added again for each request.
    if !request.hasOrigin(of: url) { dropped += ["Authorization", "Cookie"] }
    for field in dropped { request.setValue(nil, forHTTPHeaderField: field) }
    return request
  }
}

extension URL {
  /// FoundationNetworking supports schemes only in lower case.
  fileprivate var withLowercaseScheme: URL {
    guard let scheme, scheme != scheme.lowercased(), isHTTP,
      var parts = URLComponents(url: self, resolvingAgainstBaseURL: true)
    else { return self }
    parts.scheme = scheme.lowercased()
    return parts.url ?? self
  }
}
