import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension WebP {
  /// Keeps pictures, in memory and on disk: PNGs that were made of WebPs for ``WebPURLProtocol``, and WebPs for
  /// ``ImageLoader``.
  ///
  /// ```swift
  /// var options = WebPURLProtocol.Options()
  /// options.cache = WebP.ImageCache(folder: caches.appendingPathComponent("pictures"))
  /// ```
  ///
  /// It obeys the rules of a private cache (RFC 9111): what is fresh is answered without asking, what is stale is
  /// asked for with its validators, and used again after a 304. Where a request has an `Authorization`, its own or its
  /// configuration's, the response is kept only if the server calls it public; a credential that the session finds by
  /// itself, when it is challenged, is not seen. Where the response depends on request headers (`Vary`), it is kept if
  /// those are `Accept`, `Accept-Encoding`, `Origin` and `User-Agent`, and answers requests with the same values alone.
  /// Requests other than GET are never kept. A request's `cachePolicy` is obeyed, and so are `no-store`, `no-cache` and
  /// `max-age=0` in its `Cache-Control`.
  ///
  /// A picture that came after a redirect is stale at once, and has no validators: it is there for who does not ask
  /// the server, as when ``isOffline``.
  ///
  /// `URLCache` cannot be used for this: it has neither checksums nor an offline mode, and on Linux it stores nothing
  /// by itself that a protocol has answered. Without an `ImageCache`, the session's `URLCache` keeps the WebP, but on
  /// Linux, where a session with one may trap when tasks are cancelled.
  ///
  /// All methods may be called from any thread, and several processes may share a folder.
  public final class ImageCache: Hashable, @unchecked Sendable {
    private let lock = NSLock()
    private var memory: RecentStore<String, Entry>
    /// How often something was kept or forgotten: what was read from disk before that may be outdated.
    private var changes = 0
    private let disk: DiskStore?
    private let maximumAge: TimeInterval
    private var offline = false

    /// - Parameters:
    ///   - folder: where files are kept, whose names end in `.webpcache`; nil: nothing is kept on disk. It is made if it
    ///     is not there. Other files in it are left alone.
    ///   - maximumMemoryBytes: of all pictures in memory, as ``memoryBytes`` counts them.
    ///   - maximumDiskBytes: of all files.
    ///   - maximumAge: in seconds; what is older is never answered, whatever the server said.
    public init(
      folder: URL?, maximumMemoryBytes: Int = 32 << 20, maximumDiskBytes: Int = 256 << 20,
      maximumAge: TimeInterval = 30 * 86_400
    ) {
      memory = RecentStore(maximumCost: maximumMemoryBytes)
      disk = folder.map { DiskStore(folder: $0, maximumBytes: maximumDiskBytes) }
      self.maximumAge = maximumAge
    }

    /// Whether all requests are answered from the cache, however stale, or failed with
    /// `URLError.notConnectedToInternet`.
    public var isOffline: Bool {
      get { lock.withLock { offline } }
      set { lock.withLock { offline = newValue } }
    }

    /// The PNG made of the WebP at `url`, if there is one that is not too old, fresh or not.
    public func png(for url: URL) -> Data? {
      entry(Self.key(url, .png))?.body
    }

    /// Forgets what was loaded from `url`.
    public func remove(_ url: URL) {
      for form in Form.allCases { remove(Self.key(url, form)) }
    }

    /// Forgets all pictures, in memory and on disk.
    public func removeAll() {
      disk?.removeAll()
      removeAllFromMemory()
    }

    /// Forgets what is in memory alone, as when memory is short.
    public func removeAllFromMemory() {
      changeMemory { $0.removeAll() }
    }

    /// Bytes of the pictures in memory, and about what their headers and places take.
    public var memoryBytes: Int { lock.withLock { memory.cost } }
    /// Bytes of the files on disk, which are counted anew each time.
    public var diskBytes: Int { disk?.bytes ?? 0 }

    public static func == (a: ImageCache, b: ImageCache) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }
}

// MARK: For loads

extension WebP.ImageCache {
  /// What an entry's bytes are.
  enum Form: String, CaseIterable {
    case png
    case webP = "webp"
  }

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
    let isNewer = request.isGET && response.statusCode == 200 && !mayStore(response, to: request)
    if isNewer || request.mayHaveChangedURL(answered: response), let url = request.url { remove(url) }
  }

  private func store(_ entry: Entry, onlyInMemory: Bool) {
    if onlyInMemory { disk?.remove(entry.header.key) } else { disk?.store(entry) }
    changeMemory { $0.store(entry) }
  }

  private func remove(_ key: String) {
    disk?.remove(key)
    changeMemory { $0.remove(key) }
  }

  /// To be called after the same was done on disk, so that what was read from there before does not come back.
  private func changeMemory(_ change: (inout RecentStore<String, Entry>) -> Void) {
    lock.withLock {
      changes += 1
      change(&memory)
    }
  }

  private func entry(for request: URLRequest, _ form: Form) -> Entry? {
    guard let url = request.url, request.isCacheable else { return nil }
    return entry(Self.key(url, form)).flatMap { $0.answers(request) ? $0 : nil }
  }

  private func entry(_ key: String) -> Entry? {
    let (kept, changesBefore) = lock.withLock { (memory.value(key), changes) }
    var entry = kept
    if entry == nil, let read = disk?.entry(key) {
      lock.withLock { if changes == changesBefore { memory.store(read) } }
      entry = read
    }
    guard let entry, entry.header.stored + maximumAge > Date() else { return nil }
    return entry
  }

  /// The form, and the URL without what the server is not told and without the prefix of the scheme.
  private static func key(_ url: URL, _ form: Form) -> String {
    var text = url.absoluteString
    if let fragment = text.firstIndex(of: "#") { text = String(text[..<fragment]) }
    let prefix = WebPURLProtocol.Options.schemePrefix
    if text.lowercased().hasPrefix(prefix) { text = String(text.dropFirst(prefix.count)) }
    return "\(form.rawValue) \(text)"
  }
}

extension RecentStore<String, WebP.ImageCache.Entry> {
  fileprivate mutating func store(_ entry: Value) { store(entry, entry.header.key, cost: entry.memoryBytes) }
}
