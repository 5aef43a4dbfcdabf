import Foundation
import PureWebP

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
  /// Requests other than GET are never kept. The `cachePolicy` of a request, or of its configuration where it has none, is
  /// obeyed, and so are `no-store`, `no-cache` and `max-age=0` in its `Cache-Control`.
  ///
  /// An answer from here has its headers by names in lower case: `value(forHTTPHeaderField:)` finds them all the same.
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
    private var memory: LRUCache<String, Entry>
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
    ///   - maximumAge: in seconds; what is older, or was kept while the clock was ahead, is never answered, whatever the
    ///     server said.
    public init(
      folder: URL?, maximumMemoryBytes: Int = 32 << 20, maximumDiskBytes: Int = 256 << 20,
      maximumAge: TimeInterval = 30 * 86_400
    ) {
      memory = LRUCache(maximumCost: maximumMemoryBytes)
      disk = folder.map { DiskStore(folder: $0, maximumBytes: maximumDiskBytes) }
      self.maximumAge = maximumAge
    }

    /// Whether all requests are answered from the cache, however stale, or failed with
    /// `URLError.notConnectedToInternet`.
    public var isOffline: Bool {
      get { lock.withLock { offline } }
      set { lock.withLock { offline = newValue } }
    }

    /// Returns the PNG made of the WebP at `url`, fresh or not. Nil if there is none, or if it is older than the maximum
    /// age.
    public func png(for url: URL) -> Data? {
      entry(Self.key(url, .converted)).flatMap { $0.header.isOriginal ? nil : $0.body }
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

// MARK: Entries by their keys

extension WebP.ImageCache {
  /// The form of an entry's body. Entries of both forms may exist for one URL.
  enum Form: String, CaseIterable {
    /// As the URL protocol delivers it: a PNG made of the WebP, or another image unchanged.
    case converted = "png"
    /// As the server sent it.
    case original = "webp"
  }

  func store(_ entry: Entry, onlyInMemory: Bool) {
    if onlyInMemory { disk?.remove(entry.header.key) } else { disk?.store(entry) }
    changeMemory { $0.store(entry) }
  }

  func remove(_ key: String) {
    disk?.remove(key)
    changeMemory { $0.remove(key) }
  }

  /// To be called after the same was done on disk, so that what was read from there before does not come back.
  private func changeMemory(_ change: (inout LRUCache<String, Entry>) -> Void) {
    lock.withLock {
      changes += 1
      change(&memory)
    }
  }

  func entry(_ key: String) -> Entry? {
    let (kept, changesBefore) = lock.withLock { (memory.value(key), changes) }
    var entry = kept
    if entry == nil, let read = disk?.entry(key) {
      lock.withLock { if changes == changesBefore { memory.store(read) } }
      entry = read
    }
    guard let entry, let age = entry.age, age < maximumAge else { return nil }
    return entry
  }

  /// The form, and the URL without what the server is not told and without the prefix of the scheme.
  static func key(_ url: URL, _ form: Form) -> String {
    var text = url.absoluteString
    if let fragment = text.firstIndex(of: "#") { text = String(text[..<fragment]) }
    let prefix = URL.schemePrefix
    if text.lowercased().hasPrefix(prefix) { text = String(text.dropFirst(prefix.count)) }
    return "\(form.rawValue) \(text)"
  }
}

extension LRUCache<String, WebP.ImageCache.Entry> {
  fileprivate mutating func store(_ entry: Value) { store(entry, entry.header.key, cost: entry.memoryBytes) }
}
