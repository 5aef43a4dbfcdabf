import Foundation
import PureWebP

extension WebP {
  /// Stores images in memory and on disk: PNGs converted from WebPs for ``WebPURLProtocol``, and files for
  /// ``ImageLoader``.
  ///
  /// ```swift
  /// var options = WebPURLProtocol.Options()
  /// options.cache = WebP.ImageCache(folder: caches.appendingPathComponent("pictures"))
  /// ```
  ///
  /// The cache is a private cache (RFC 9111). Fresh entries answer requests without the server. Stale entries are
  /// validated and used again after a 304. The `cachePolicy` of the request or its configuration is obeyed, and so are
  /// `no-store`, `no-cache` and `max-age=0` in the request's `Cache-Control`.
  ///
  /// If the request or its configuration has an `Authorization` header, the response is stored only if it is public.
  /// Credentials that the session adds after a challenge are not considered. A response with `Vary` is stored if the
  /// header names only `Accept`, `Accept-Encoding`, `Origin` and `User-Agent`. It answers requests with the same
  /// values. Responses to methods other than GET are not stored.
  ///
  /// Responses from the cache have header names in lower case, which `value(forHTTPHeaderField:)` finds as well.
  ///
  /// An image that was loaded through a redirect is stale immediately and has no validators. It answers requests that
  /// do not ask the server, for example when ``isOffline``.
  ///
  /// `URLCache` is not used, because it has neither checksums nor an offline mode, and on Linux does not store
  /// responses of protocols. Without an `ImageCache`, the session's `URLCache` stores the WebP on Apple's systems. On
  /// Linux nothing is stored, because a session with a `URLCache` may trap when tasks are cancelled.
  ///
  /// All methods can be called from any thread, and several processes can share a folder.
  public final class ImageCache: Hashable, @unchecked Sendable {
    private let lock = NSLock()
    private var memory: LRUCache<String, Entry>
    /// The number of changes. An entry that was read from disk before a change may be outdated.
    private var changes = 0
    private let disk: DiskStore?
    private let maximumAge: TimeInterval
    private var offline = false

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - folder: the folder of the files, whose names end in `.webpcache`. It is created if necessary. Other files in it
    ///     are ignored. If nil, nothing is stored on disk.
    ///   - maximumMemoryBytes: the maximum of ``memoryBytes``.
    ///   - maximumDiskBytes: the maximum size of all files, in bytes.
    ///   - maximumAge: the maximum age of an entry, in seconds, even if the server allows more. Entries with a date in the
    ///     future are not used either.
    public init(
      folder: URL?, maximumMemoryBytes: Int = 32 << 20, maximumDiskBytes: Int = 256 << 20,
      maximumAge: TimeInterval = 30 * 86_400
    ) {
      memory = LRUCache(maximumCost: maximumMemoryBytes)
      disk = folder.map { DiskStore(folder: $0, maximumBytes: maximumDiskBytes) }
      self.maximumAge = maximumAge
    }

    /// Indicates whether all requests are answered from the cache, fresh or not, or fail with
    /// `URLError.notConnectedToInternet`.
    public var isOffline: Bool {
      get { lock.withLock { offline } }
      set { lock.withLock { offline = newValue } }
    }

    /// Returns the PNG converted from the WebP at `url`, fresh or not. Nil if there is none, or if it is older than the
    /// maximum age.
    public func png(for url: URL) -> Data? {
      entry(Self.key(url, .converted)).flatMap { $0.header.isOriginal ? nil : $0.body }
    }

    /// Removes the images that were loaded from `url`.
    public func remove(_ url: URL) {
      for form in Form.allCases { remove(Self.key(url, form)) }
    }

    /// Removes all images, in memory and on disk.
    public func removeAll() {
      disk?.removeAll()
      removeAllFromMemory()
    }

    /// Removes the images in memory, for example when memory is low. Files stay.
    public func removeAllFromMemory() {
      changeMemory { $0.removeAll() }
    }

    /// The approximate size of the images in memory and their headers, in bytes.
    public var memoryBytes: Int { lock.withLock { memory.cost } }
    /// The size of the files on disk, in bytes. Each call measures it.
    public var diskBytes: Int { disk?.bytes ?? 0 }

    public static func == (a: ImageCache, b: ImageCache) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }
}

// MARK: Entries by their keys

extension WebP.ImageCache {
  /// The form of an entry's body. Entries of both forms may exist for one URL.
  enum Form: String, CaseIterable {
    /// As the URL protocol delivers it: a PNG converted from the WebP, or another image unchanged.
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

  /// Changes the memory, after the same change on disk. It also increments `changes`: a call that has read an entry
  /// from disk before the change then does not store it in memory.
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

  /// The form, and the URL without its fragment and the prefix of its scheme.
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
