import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends the requests of loads through a transport: adds headers and cookies, waits for the head, stores cookies,
/// follows redirects (RFC 9110, section 15.4), and returns the last response as a ``Transfer``.
///
/// The additional headers, the timeouts and the cookies of the configuration apply to all transports.
package final class Upstream: Sendable {
  private static let maximumRedirects = 20

  private let configuration: URLSessionConfiguration
  private let transport: any WebP.Transport
  private let clock: Runtime
  /// The part of the cache for private responses.
  package let partition: WebP.ImageCache.Partition

  /// - Parameters:
  ///   - configuration: the configuration of all requests.
  ///   - transport: sends the requests. If nil, a session with the configuration.
  ///   - keepsURLCache: whether the session uses the configuration's `URLCache`.
  ///   - partition: the part of the cache for private responses.
  package init(
    _ configuration: URLSessionConfiguration, transport: (any WebP.Transport)? = nil, keepsURLCache: Bool,
    partition: WebP.ImageCache.Partition = .init(nil), clock: Runtime = Runtime()
  ) {
    self.partition = partition
    let configuration = configuration.copy() as! URLSessionConfiguration
    if !keepsURLCache { configuration.urlCache = nil }
    self.configuration = configuration
    self.transport = transport ?? WebP.URLSessionTransport(configuration)
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
  ///   - body: the rules for the end of the body.
  ///   - options: the options of the transport.
  ///   - minimumBytesPerSecond: the lowest transfer rate, averaged over the configuration's
  ///     `timeoutIntervalForRequest`. 0 accepts any rate.
  /// - Throws: `URLError`, or `CancellationError`.
  package nonisolated(nonsending) func send(
    _ request: URLRequest, _ body: BodyRules, _ options: WebP.TransportOptions = .init(),
    minimumBytesPerSecond: Int = 0
  ) async throws -> Transfer {
    var request = completed(request)
    request.url = request.url?.withLowercaseScheme
    var isPrivate = options.allowsInvalidCertificates
    for _ in 0...Self.maximumRedirects {
      try Task.checkCancellation()
      guard let url = request.url, url.isHTTP else { throw URLError.otherThanHTTP }
      addCookies(for: url, to: &request)
      let exchange = Exchange(configuration, minimumBytesPerSecond: minimumBytesPerSecond, clock)
      exchange.start(request, options, transport, body)
      let head = try await exchange.takeHead()
      storeCookies(head.cookies, from: url, for: request)
      isPrivate = isPrivate || hasCredentials(request) || head.response.isPrivate
      guard let next = try request.redirected(by: head.response) else {
        return Transfer(head.response, isPrivate: isPrivate, exchange)
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

  private func storeCookies(_ fields: [String], from url: URL, for request: URLRequest) {
    guard request.httpShouldHandleCookies, let storage = configuration.httpCookieStorage,
      configuration.httpCookieAcceptPolicy != .never
    else { return }
    let cookies = fields.flatMap { HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": $0], for: url) }
    // Otherwise, the storage itself checks the domain of the main document.
    let main = configuration.httpCookieAcceptPolicy == .onlyFromMainDocumentDomain ? request.mainDocumentURL : nil
    guard !cookies.isEmpty, main == nil || main?.host?.lowercased() == url.host?.lowercased() else { return }
    storage.setCookies(cookies, for: url, mainDocumentURL: request.mainDocumentURL)
  }
}

extension HTTPURLResponse {
  /// The maximum length of all fields of a response, in bytes.
  static let maximumHeadBytes = 256 << 10

  /// Fields with equal names become one (RFC 9110, section 5.3).
  ///
  /// - Throws: `URLError` if the status is invalid, or if the fields are too long.
  convenience init(checking response: WebP.TransportResponse, url: URL?) throws(URLError) {
    guard let url, (200...999).contains(response.status) else {
      throw URLError(.badServerResponse, "invalid status \(response.status)", url: url)
    }
    var bytes = 0
    for (name, value) in response.fields {
      bytes += name.utf8.count + value.utf8.count
      guard bytes <= Self.maximumHeadBytes else {
        throw URLError(.badServerResponse, "the header is longer than \(Self.maximumHeadBytes) bytes", url: url)
      }
    }
    let fields = Dictionary(grouping: response.fields) { $0.name.lowercased() }.values.map { equal in
      (equal[0].name, equal.map(\.value).joined(separator: ", "))
    }
    self.init(
      url: url, statusCode: response.status, httpVersion: "HTTP/1.1",
      headerFields: [String: String](fields) { first, _ in first })!
  }

  /// Indicates whether the response redirects to another URL.
  var isRedirect: Bool {
    [301, 302, 303, 307, 308].contains(statusCode) && value(forHTTPHeaderField: "Location") != nil
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
    guard response.isRedirect, let location = response.value(forHTTPHeaderField: "Location") else { return nil }
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
