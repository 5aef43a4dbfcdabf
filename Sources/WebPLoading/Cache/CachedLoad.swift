import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What one load asks of the cache and puts into it, by its request and by what the server says (RFC 9111).
struct CachedLoad {
  typealias Entry = WebP.ImageCache.Entry

  private let cache: WebP.ImageCache
  private let form: WebP.ImageCache.Form
  private let request: URLRequest
  /// What the server is asked about, whether it is still right.
  private var stale: Entry?

  /// - Parameters:
  ///   - form: of the pictures that answer the load.
  ///   - request: with the headers that its session adds.
  init(_ cache: WebP.ImageCache, _ form: WebP.ImageCache.Form, _ request: URLRequest) {
    self.cache = cache
    self.form = form
    self.request = request
  }

  private var entry: Entry? {
    guard let url = request.url, request.isCacheable else { return nil }
    return cache.entry(WebP.ImageCache.key(url, form)).flatMap { $0.answers(request) ? $0 : nil }
  }

  /// - Parameter inner: the request to the server, which gets the validators of what may be outdated.
  /// - Returns: what answers the load; nil: the server has to.
  /// - Throws: where the server must not be asked.
  mutating func begin(_ inner: inout URLRequest) throws(URLError) -> Entry? {
    if cache.isOffline { return try entry(orThrow: .notConnectedToInternet, "offline, and not in the cache") }
    let policy = request.effectiveCachePolicy
    switch policy {
    case .useProtocolCachePolicy, .reloadRevalidatingCacheData:
      guard let entry else { return nil }
      if entry.header.freshUntil > Date(), policy == .useProtocolCachePolicy { return entry }
      guard entry.hasValidators else { return nil }
      stale = entry
      entry.addValidators(to: &inner)
      return nil
    case .returnCacheDataElseLoad:
      return entry
    case .returnCacheDataDontLoad:
      return try entry(orThrow: .resourceUnavailable, "not in the cache, which alone was to be asked")
    default:
      return nil
    }
  }

  private func entry(orThrow code: URLError.Code, _ description: String) throws(URLError) -> Entry {
    guard let entry else { throw URLError(code, description) }
    return entry
  }

  /// To be called with the server's answer. A 304 renews what there is; another answer makes the cache forget what the
  /// request has changed, and a picture that there is a newer one of, which may not be kept.
  ///
  /// - Parameter onlyInMemory: whether it is kept out of the folder, as in ``keep(_:of:onlyInMemory:)``.
  /// - Returns: what answers the load, kept or not; nil: the response does.
  func receive(_ response: HTTPURLResponse, onlyInMemory: Bool = false) -> Entry? {
    if response.statusCode == 304, let stale { return renew(stale, by: response, onlyInMemory: onlyInMemory) }
    if request.mayHaveChangedURL(answered: response), let url = request.url { cache.remove(url) }
    if !mayKeep(response) { removeOlder(than: response) }
    return nil
  }

  /// Takes over what a 304 says (RFC 9111, section 4.3.4). All that is known then decides whether the entry may be kept,
  /// and for how long it is fresh.
  private func renew(_ entry: Entry, by response: HTTPURLResponse, onlyInMemory: Bool) -> Entry {
    var entry = entry
    // When it was sent, and how old it was then, each response tells of itself alone.
    for field in ["age", "date"] { entry.header.headers[field] = nil }
    entry.header.headers.merge(response.storableHeaders) { $1 }
    let renewed = HTTPURLResponse(
      url: entry.url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: entry.header.headers)
    guard let renewed, mayKeep(renewed) else {
      cache.remove(entry.header.key)
      return entry
    }
    entry.header.freshUntil = renewed.freshUntil(Date())
    cache.store(entry, onlyInMemory: onlyInMemory)
    return entry
  }

  func mayKeep(_ response: HTTPURLResponse) -> Bool {
    let control = response.cacheControl
    if !request.isCacheable || control.forbidsStoring { return false }
    if request.value(forHTTPHeaderField: "Authorization") != nil && !control.isPublic { return false }
    return Variants(vary: response.value(forHTTPHeaderField: "Vary")).areKnown
  }

  /// Keeps a whole picture, if that may be.
  func keep(_ body: Data, of response: HTTPURLResponse, onlyInMemory: Bool = false) {
    guard let asked = request.url, let url = response.url, mayKeep(response) else { return }
    let key = WebP.ImageCache.key(asked, form)
    // What the server says after a redirect, it says of another URL. Who asks for this one may be sent elsewhere next.
    let isRedirected = key != WebP.ImageCache.key(url, form)
    let now = Date()
    let header = Entry.Header(
      url: url, key: key, stored: now, freshUntil: isRedirected ? now : response.freshUntil(now),
      headers: response.storableHeaders.filter { !isRedirected || Entry.validators[$0.key] == nil },
      variant: Variants.values(of: request))
    cache.store(Entry(header: header, body: body), onlyInMemory: onlyInMemory)
  }

  /// Forgets a picture that there is a newer answer than, of which none is kept.
  func removeOlder(than response: HTTPURLResponse) {
    if request.isGET, response.statusCode == 200, let url = request.url { cache.remove(url) }
  }
}
