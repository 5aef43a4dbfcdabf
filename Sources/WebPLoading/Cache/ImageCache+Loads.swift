import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What loads ask of the cache: by requests, and with what servers say (RFC 9111).
extension WebP.ImageCache {
  enum Answer {
    case fresh(Entry)
    /// To be asked for with the entry's validators.
    case stale(Entry)
    case nothing
    /// The server must not be asked.
    case refused(URLError.Code)
  }

  /// - Parameter request: with the headers that its session adds, as in ``store(_:form:of:to:onlyInMemory:)``.
  func answer(to request: URLRequest, form: Form) -> Answer {
    if isOffline { return entry(for: request, form).map { .fresh($0) } ?? .refused(.notConnectedToInternet) }
    let policy = request.effectiveCachePolicy
    switch policy {
    case .useProtocolCachePolicy, .reloadRevalidatingCacheData:
      guard let entry = entry(for: request, form) else { return .nothing }
      if entry.header.freshUntil > Date(), policy == .useProtocolCachePolicy { return .fresh(entry) }
      return entry.hasValidators ? .stale(entry) : .nothing
    case .returnCacheDataElseLoad:
      return entry(for: request, form).map { .fresh($0) } ?? .nothing
    case .returnCacheDataDontLoad:
      return entry(for: request, form).map { .fresh($0) } ?? .refused(.resourceUnavailable)
    default:
      return .nothing
    }
  }

  func mayStore(_ response: HTTPURLResponse, to request: URLRequest) -> Bool {
    let control = CacheControl(response.header("Cache-Control"))
    if !request.isCacheable || control.forbidsStoring { return false }
    if request.value(forHTTPHeaderField: "Authorization") != nil && !control.isPublic { return false }
    return Variants(vary: response.header("Vary")).areKnown
  }

  /// Keeps a whole picture.
  ///
  /// - Parameter onlyInMemory: whether it is kept out of the folder.
  func store(
    _ body: Data, form: Form, of response: HTTPURLResponse, to request: URLRequest, onlyInMemory: Bool = false
  ) {
    guard let asked = request.url, let url = response.url, mayStore(response, to: request) else { return }
    let key = Self.key(asked, form)
    // What the server says after a redirect, it says of another URL. Who asks for this one may be sent elsewhere next.
    let isRedirected = key != Self.key(url, form)
    let now = Date()
    let header = Entry.Header(
      url: url, key: key, stored: now, freshUntil: isRedirected ? now : response.freshUntil(now),
      headers: response.storableHeaders.filter { !isRedirected || !Entry.isValidator($0.key) },
      variant: Variants.values(of: request))
    store(Entry(header: header, body: body), onlyInMemory: onlyInMemory)
  }

  /// Takes over what a 304 says (RFC 9111, section 4.3.4). All that is known then decides whether the entry may be kept,
  /// and for how long it is fresh.
  ///
  /// - Returns: what answers the request, kept or not.
  func renew(
    _ entry: Entry, with response: HTTPURLResponse, to request: URLRequest, onlyInMemory: Bool = false
  ) -> Entry {
    var entry = entry
    let news = response.storableHeaders.filter { $0.key.lowercased() != "content-length" }
    // When it was sent, and how old it was then, each response tells of itself alone.
    let replaced = Set(news.keys.map { $0.lowercased() }).union(["age", "date"])
    entry.header.headers = entry.header.headers.filter { !replaced.contains($0.key.lowercased()) }
    entry.header.headers.merge(news) { $1 }
    let renewed = HTTPURLResponse(
      url: entry.url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: entry.header.headers)
    guard let renewed, mayStore(renewed, to: request) else {
      remove(entry.header.key)
      return entry
    }
    entry.header.freshUntil = renewed.freshUntil(Date())
    store(entry, onlyInMemory: onlyInMemory)
    return entry
  }

  /// Forgets what a request has changed, and a picture that there is a newer one of, which may not be kept.
  func invalidate(by request: URLRequest, answered response: HTTPURLResponse) {
    if request.mayHaveChangedURL(answered: response), let url = request.url { remove(url) }
    if !mayStore(response, to: request) { removeOlder(than: response, to: request) }
  }

  /// Forgets a picture that there is a newer answer than, of which none is kept.
  func removeOlder(than response: HTTPURLResponse, to request: URLRequest) {
    if request.isGET, response.statusCode == 200, let url = request.url { remove(url) }
  }

  private func entry(for request: URLRequest, _ form: Form) -> Entry? {
    guard let url = request.url, request.isCacheable else { return nil }
    return entry(Self.key(url, form)).flatMap { $0.answers(request) ? $0 : nil }
  }
}
