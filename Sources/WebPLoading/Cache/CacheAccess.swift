import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Reads and writes the cache for one load, as its request and the server's response permit (RFC 9111). Without a
/// cache, nothing is found and nothing is stored.
///
/// Used on a queue, because it reads and writes files. Without a cache, no queue is needed.
package final class CacheAccess: Sendable {
  package typealias Entry = WebP.ImageCache.Entry

  private let cache: WebP.ImageCache?
  private let form: WebP.ImageCache.Form
  private let request: URLRequest
  /// The URL that identifies the entries.
  private let keyURL: URL?
  private let partition: WebP.ImageCache.Partition
  private let publicPartition: WebP.ImageCache.Partition?
  private let state: Locked<State>

  private struct State: Sendable {
    var isPrivate: Bool
    /// The entry that the server is asked to validate.
    var stale: Entry?
  }

  /// Creates the cache operations of a load.
  ///
  /// - Parameters:
  ///   - cache: the cache, or nil.
  ///   - form: the form of the entries that can answer the load.
  ///   - request: the request, including the headers that its session adds.
  ///   - partition: the party's part of the cache, for private images.
  ///   - publicPartition: the part for other images, or nil for the part that all share.
  ///   - keyURL: the URL that identifies the entries. If nil, the request's URL.
  package init(
    _ cache: WebP.ImageCache?, _ form: WebP.ImageCache.Form, _ request: URLRequest,
    _ partition: WebP.ImageCache.Partition, publicPartition: WebP.ImageCache.Partition? = nil, keyURL: URL? = nil
  ) {
    self.cache = cache
    self.form = form
    self.request = request
    self.partition = partition
    self.publicPartition = publicPartition
    self.keyURL = keyURL ?? request.url
    // A part of the URL that the key lacks may be a secret, such as a signature.
    let key = { (url: URL?) in url.map { WebP.ImageCache.Key($0, form, nil) } }
    state = Locked(State(isPrivate: self.keyURL != request.url && key(self.keyURL) != key(request.url)))
  }

  /// Indicates whether the image stays in the partition.
  var isPrivate: Bool { state.withLock { $0.isPrivate } }

  /// Lets the image stay in the partition.
  func markPrivate() { state.withLock { $0.isPrivate = true } }

  /// The keys that can answer the load: for a private and for a public image.
  private var keys: [WebP.ImageCache.Key] {
    keyURL.map { [.init($0, form, partition), .init($0, form, publicPartition)] } ?? []
  }

  /// The entry that matches the request, fresh or not.
  var entry: Entry? {
    guard let cache, request.isCacheable else { return nil }
    return keys.lazy.compactMap { cache.entry($0) }.first { $0.answers(request) }
  }

  /// Looks up the request in the cache.
  ///
  /// - Parameter serverRequest: the request to the server. It gets the validators of a stale entry.
  /// - Returns: the entry that answers the load, or nil if the server must be asked.
  /// - Throws: An error if there is no entry and the server must not be asked.
  func begin(_ serverRequest: inout URLRequest) throws(URLError) -> Entry? {
    guard let cache else { return nil }
    if cache.isOffline { return try entry(orThrow: .notConnectedToInternet, "offline, and not in the cache") }
    let policy = request.effectiveCachePolicy
    switch policy {
    case .useProtocolCachePolicy, .reloadRevalidatingCacheData:
      guard let entry else { return nil }
      if entry.header.freshUntil > Date(), policy == .useProtocolCachePolicy { return entry }
      guard entry.hasValidators else { return nil }
      state.withLock { $0.stale = entry }
      entry.addValidators(to: &serverRequest)
      return nil
    case .returnCacheDataElseLoad:
      return entry
    case .returnCacheDataDontLoad:
      return try entry(orThrow: .resourceUnavailable, "not in the cache; the request permits no other source")
    default:
      return nil
    }
  }

  package enum Answer {
    case entry(Entry)
    case transfer(Transfer)
  }

  /// Answers the load from the cache, or sends the request and processes the server's response.
  ///
  /// - Parameters:
  ///   - serverRequest: the request to the server.
  ///   - body: the rules for the end of the body.
  ///   - queue: the queue for files.
  package nonisolated(nonsending) func answer(
    _ serverRequest: URLRequest, _ body: BodyRules, from upstream: Upstream, minimumBytesPerSecond: Int,
    on queue: DispatchQueue
  ) async throws -> Answer {
    let (stored, request) = try await queue.run {
      var serverRequest = serverRequest
      return (try self.begin(&serverRequest), serverRequest)
    }
    if let stored { return .entry(stored) }
    let transfer = try await upstream.send(request, body, minimumBytesPerSecond: minimumBytesPerSecond)
    let (head, isPrivate) = (transfer.response, transfer.isPrivate)
    let renewed = await queue.run { self.receive(head, isPrivate: isPrivate) }
    return renewed.map { .entry($0) } ?? .transfer(transfer)
  }

  private func entry(orThrow code: URLError.Code, _ description: String) throws(URLError) -> Entry {
    guard let entry else { throw URLError(code, description) }
    return entry
  }

  /// Processes the server's response. If its status is 304, the stale entry is renewed. Otherwise, entries are removed
  /// if the request may have changed the resource, or if the response replaces them but must not be stored.
  ///
  /// - Parameters:
  ///   - isPrivate: whether the response stays in the partition.
  ///   - onlyInMemory: whether the renewed entry must not be stored on disk.
  /// - Returns: the entry that answers the load, or nil if the response itself answers it.
  func receive(_ response: HTTPURLResponse, isPrivate: Bool, onlyInMemory: Bool = false) -> Entry? {
    if isPrivate { markPrivate() }
    if response.statusCode == 304, let stale = state.withLock({ $0.stale }) {
      return renew(stale, by: response, onlyInMemory: onlyInMemory)
    }
    if request.mayHaveChangedURL(answered: response) { removeEntry() }
    if !mayKeep(response) { removeOlder(than: response) }
    return nil
  }

  /// Merges the headers of a response with status 304 into the entry (RFC 9111, section 4.3.4). The merged headers
  /// determine whether the entry may be stored, and how long it is fresh.
  private func renew(_ entry: Entry, by response: HTTPURLResponse, onlyInMemory: Bool) -> Entry {
    var entry = entry
    // `Age` and `Date` of the earlier response do not apply to the new one.
    for field in ["age", "date"] { entry.header.headers[field] = nil }
    entry.header.headers.merge(response.storableHeaders) { $1 }
    let renewed = HTTPURLResponse(
      url: entry.url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: entry.header.headers)
    guard let cache, let renewed, mayKeep(renewed) else {
      cache?.remove(entry.header.key)
      return entry
    }
    // A shared entry stays stale for the others.
    if isPrivate { entry.header.key.partition = partition }
    entry.header.freshUntil = renewed.freshUntil(Date(), defaultLifetime: cache.defaultLifetime)
    cache.store(entry, onlyInMemory: onlyInMemory)
    return entry
  }

  /// Returns whether the request and the response permit storing the image.
  func mayKeep(_ response: HTTPURLResponse) -> Bool {
    let control = response.cacheControl
    if cache == nil || !request.isCacheable || control.forbidsStoring { return false }
    if request.value(forHTTPHeaderField: "Authorization") != nil && !control.isPublic { return false }
    return VaryHeader(response.value(forHTTPHeaderField: "Vary")).isSupported
  }

  /// Stores a complete image if the request and the response permit it.
  ///
  /// - Parameter isOriginal: whether the body is the server's response, rather than a PNG that was converted from it.
  package func keep(_ body: Data, of response: HTTPURLResponse, onlyInMemory: Bool = false, isOriginal: Bool = false) {
    guard let cache, let asked = request.url, let keyURL, let url = response.url, mayKeep(response) else { return }
    // After a redirect, freshness and validators describe the final URL, but a later request may be redirected to
    // another URL. Therefore the entry is stale immediately and has no validators.
    let isRedirected = WebP.ImageCache.Key(asked, form, nil) != WebP.ImageCache.Key(url, form, nil)
    let now = Date()
    let header = Entry.Header(
      url: url, key: .init(keyURL, form, isPrivate ? partition : publicPartition), stored: now,
      freshUntil: isRedirected ? now : response.freshUntil(now, defaultLifetime: cache.defaultLifetime),
      headers: response.storableHeaders.filter { !isRedirected || Entry.validators[$0.key] == nil },
      variant: VaryHeader.values(of: request), isOriginal: isOriginal)
    cache.store(Entry(header: header, body: body), onlyInMemory: onlyInMemory)
    // An older private entry must not hide the new one.
    if !isPrivate { cache.remove(.init(keyURL, form, partition)) }
  }

  /// Removes the entries that `response` replaces. Called for responses that are not stored.
  package func removeOlder(than response: HTTPURLResponse) {
    if request.isGET, response.hasFile { removeEntry() }
  }

  /// Removes the entries of the URL that could answer the load, in both forms.
  func removeEntry() {
    guard let cache, let keyURL else { return }
    for form in WebP.ImageCache.Form.allCases {
      for partition in [partition, publicPartition] { cache.remove(.init(keyURL, form, partition)) }
    }
  }
}
