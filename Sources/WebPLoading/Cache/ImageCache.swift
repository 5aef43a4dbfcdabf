import Foundation
import PureWebP

extension WebP {
  /// Stores images in memory and on disk. ``WebPURLProtocol`` stores the PNGs that it has converted, ``ImageLoader``
  /// the files of the server.
  ///
  /// ```swift
  /// var options = WebPURLProtocol.Options()
  /// options.cache = WebP.ImageCache(folder: caches.appendingPathComponent("pictures"))
  /// ```
  ///
  /// The cache is a private cache (RFC 9111). Fresh entries answer requests without asking the server. For a stale
  /// entry, the server is asked for changes; if it answers with status 304, the entry is used again. The cache obeys
  /// the `cachePolicy` of the request or its configuration, and `no-store`, `no-cache` and `max-age=0` in the request's
  /// `Cache-Control`.
  ///
  /// If the request or its configuration has an `Authorization` header, the response is stored only if it is public.
  /// Credentials that the session adds after a challenge are not considered. A response with `Vary` is stored if the
  /// header names only `Accept`, `Accept-Encoding`, `Origin` and `User-Agent`. The entry answers requests in which the
  /// named headers have the same values. Responses to methods other than GET are not stored.
  ///
  /// Several parties can share a cache: loaders, registrations of ``WebPURLProtocol``, scheme handlers and script
  /// bridges. Each has a partition, whose name is the `cachePartition` that the app gives it. These images stay in the
  /// partition, and all others are shared:
  ///
  /// - The request had a `Cookie` or `Authorization` header, or the configuration has credentials for the host.
  /// - The response had `Set-Cookie`, or `private` in its `Cache-Control`.
  /// - One of the above applies to a redirect on the way.
  /// - The loader's `cacheKey` changed the URL, or the certificate may have been invalid.
  ///
  /// Without a name, a partition is unique, and its private images are stored only in memory. If an app has several
  /// users, use a loader and a partition for each. Other headers are not considered, nor are credentials that another
  /// transport adds: servers should mark such responses as `private`.
  ///
  /// Scheme handlers and bridges load for pages, which can measure how long a load takes. By default, the pages of all
  /// web views have another partition for the images that are shared, in memory and on disk: they learn nothing about
  /// the app's images, and their images do not answer requests of the app. `sharesCacheWithApp` changes that.
  ///
  /// Responses from the cache have lowercase header names. `value(forHTTPHeaderField:)` ignores case.
  ///
  /// An image that was loaded through a redirect is stale immediately and cannot be validated. It answers only requests
  /// that do not ask the server, for example if ``isOffline`` is true.
  ///
  /// This type does not use `URLCache`, which has neither checksums nor an offline mode, and which does not store
  /// responses of protocols on Linux. Without an `ImageCache`, the session's `URLCache` stores WebP files on Apple's
  /// systems. On Linux nothing is stored, because a session with a `URLCache` may trap when tasks are cancelled.
  ///
  /// All methods can be called from any thread, and several processes can share a folder. Files are written after the
  /// images were delivered. A program that ends immediately can wait for them with ``diskBytes``.
  public final class ImageCache: Hashable, Sendable {
    private let state: Locked<State>
    let disk: DiskStore?
    private let maximumAge: TimeInterval
    /// The time for which an image is fresh if the server specifies none, in seconds.
    ///
    /// By default it is 0: without `Cache-Control`, `Expires` and `Last-Modified`, each load asks the server. A server
    /// that sends one of the first two, or `no-cache`, is always obeyed. If it sends only `Last-Modified`, the longer
    /// one of the heuristic of RFC 9111 and of this time applies. Images that were loaded through a redirect remain
    /// stale.
    public let defaultLifetime: TimeInterval

    private struct State: Sendable {
      var memory: LRUCache<Key, Entry>
      /// The number of changes to the cache. It reveals whether an entry that was read from disk may be outdated.
      var changes = 0
      /// The generation of the folder. If it changes, another process has removed all images.
      var generation: FolderGeneration?
      var isOffline = false
    }

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - folder: the folder for the cache's files, which have the extension `webpcache`. It is created if necessary.
    ///     Other files in the folder are ignored. If nil, nothing is stored on disk.
    ///   - maximumMemoryBytes: the maximum of ``memoryBytes``.
    ///   - maximumDiskBytes: the maximum size of all files, in bytes.
    ///   - maximumAge: the age from which an entry is not used, in seconds, even if the server allows more. Entries
    ///     with a date in the future are not used either.
    ///   - defaultLifetime: ``defaultLifetime``.
    public convenience init(
      folder: URL?, maximumMemoryBytes: Int = 32 << 20, maximumDiskBytes: Int = 256 << 20,
      maximumAge: TimeInterval = 30 * 86_400, defaultLifetime: TimeInterval = 0
    ) {
      self.init(
        folder.map { DiskStore(folder: $0, maximumBytes: maximumDiskBytes) }, maximumMemoryBytes: maximumMemoryBytes,
        maximumAge: maximumAge, defaultLifetime: defaultLifetime)
    }

    init(
      _ disk: DiskStore?, maximumMemoryBytes: Int, maximumAge: TimeInterval = .infinity,
      defaultLifetime: TimeInterval = 0
    ) {
      self.disk = disk
      state = Locked(State(memory: LRUCache(maximumCost: maximumMemoryBytes)))
      self.maximumAge = maximumAge
      self.defaultLifetime = defaultLifetime
    }

    /// Indicates whether no server is asked. Requests are then answered from the cache, even by stale entries, or fail
    /// with `URLError.notConnectedToInternet`, of the kind ``ErrorKind/unavailable``.
    public var isOffline: Bool {
      get { state.withLock { $0.isOffline } }
      set { state.withLock { $0.isOffline = newValue } }
    }

    /// Returns the stored PNG that was converted from the WebP at `url`, even if it is stale. Returns nil if there is
    /// none, or if it has reached the maximum age. Images that only pages have loaded are not returned.
    ///
    /// - Parameters:
    ///   - url: the URL of the WebP.
    ///   - partition: the partition whose private images may be returned too.
    public func png(for url: URL, partition: String? = nil) -> Data? {
      let own = partition.flatMap { entry(Key(url, .converted, .named($0))) }
      return (own ?? entry(Key(url, .converted, nil))).flatMap { $0.header.isOriginal ? nil : $0.body }
    }

    /// Removes the images that were loaded from `url`, in all partitions. Images that a loader has decoded remain until
    /// ``ImageLoader/removeDecodedImages()``.
    ///
    /// - Throws: ``RemovalError`` if files remain. This process uses them no more.
    public func remove(_ url: URL) throws(RemovalError) {
      let url = Key(url, .original, nil).url
      defer { changeMemory { $0.removeAll { $0.url == url } } }
      try disk?.removeAll(of: url)
    }

    /// Removes all images, in memory and on disk. Other processes that use the folder remove theirs from memory. Images
    /// that a loader has decoded remain until ``ImageLoader/removeDecodedImages()``.
    ///
    /// - Throws: ``RemovalError`` if files remain. This process uses them no more.
    public func removeAll() throws(RemovalError) {
      defer { removeAllFromMemory() }
      try disk?.removeAll()
    }

    /// Removes the images in memory, for example when memory is low. Files are kept.
    public func removeAllFromMemory() {
      changeMemory { $0.removeAll() }
    }

    /// The approximate size of the images in memory and their headers, in bytes.
    public var memoryBytes: Int { state.withLock { $0.memory.cost } }
    /// The size of the files on disk, in bytes. Each call waits for images that are being written, and measures. The
    /// size is 0 if the folder cannot be read.
    public var diskBytes: Int { disk?.bytes ?? 0 }

    public static func == (a: ImageCache, b: ImageCache) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }
}

// MARK: Entries

extension WebP.ImageCache {
  /// The form of an entry's body. Entries of both forms may exist for one URL.
  package enum Form: String, CaseIterable, Codable {
    /// The image as the URL protocol delivers it: a PNG converted from a WebP, or a file of another format unchanged.
    case converted = "png"
    /// The file as the server sent it.
    case original = "webp"
  }

  /// The part of a cache that only one party reads: a loader, a registration, a bridge, or several that the app gives
  /// the same name.
  package enum Partition: Hashable, Sendable, Codable {
    case named(String)
    /// The partition for the public images of all pages in web views.
    case pages
    /// A partition that no other party can name. Nothing could read its entries after a restart, so they are stored
    /// only in memory.
    case own(UUID)

    package init(_ name: String?) { self = name.map { .named($0) } ?? .own(UUID()) }
  }

  /// Identifies an entry.
  struct Key: Hashable, Sendable, Codable {
    /// The URL without its fragment and without the prefix that the URL protocol and the scheme handler add to schemes.
    let url: String
    let form: Form
    /// The only partition that reads the entry. Nil if all partitions share it.
    var partition: Partition?

    init(_ url: URL, _ form: Form, _ partition: Partition?) {
      var text = url.absoluteString
      if let fragment = text.firstIndex(of: "#") { text = String(text[..<fragment]) }
      let prefix = URL.schemePrefix
      if text.lowercased().hasPrefix(prefix) { text = String(text.dropFirst(prefix.count)) }
      self.url = text
      self.form = form
      self.partition = partition
    }

    /// The approximate memory use, in bytes.
    var memoryBytes: Int {
      if case .named(let name) = partition { url.utf8.count + name.utf8.count } else { url.utf8.count }
    }
  }

  /// The files that may have an entry with the key.
  private func disk(for key: Key) -> DiskStore? {
    if case .own = key.partition { nil } else { disk }
  }

  func store(_ entry: Entry, onlyInMemory: Bool) {
    let disk = disk(for: entry.header.key)
    obeyFolder()
    if onlyInMemory { try? disk?.remove(entry.header.key) } else { disk?.store(entry) }
    changeMemory { $0.store(entry) }
  }

  /// Removes an entry. If its file remains, it is not used.
  func remove(_ key: Key) {
    try? disk(for: key)?.remove(key)
    changeMemory { $0.remove(key) }
  }

  /// Removes the entries in memory if another process, or another cache of this one, has removed all.
  private func obeyFolder() {
    guard let disk else { return }
    let current: FolderGeneration?
    do { current = try disk.generation() } catch { return }
    state.withLock {
      if $0.generation != nil, $0.generation != current {
        $0.changes += 1
        $0.memory.removeAll()
      }
      $0.generation = current
    }
  }

  /// Changes the memory cache. Must be called after the same change on disk. It increments `changes`, so that a
  /// concurrent call of `entry` does not store an entry in memory that it read from disk before the change.
  private func changeMemory(_ change: (inout LRUCache<Key, Entry>) -> Void) {
    state.withLock {
      $0.changes += 1
      change(&$0.memory)
    }
  }

  func entry(_ key: Key) -> Entry? {
    obeyFolder()
    let (kept, changesBefore) = state.withLock { ($0.memory.value(key), $0.changes) }
    var entry = kept
    if entry == nil, let read = disk(for: key)?.entry(key) {
      state.withLock { if $0.changes == changesBefore { $0.memory.store(read) } }
      entry = read
    }
    guard let entry, let age = entry.age, age < maximumAge else { return nil }
    return entry
  }
}

extension LRUCache<WebP.ImageCache.Key, WebP.ImageCache.Entry> {
  fileprivate mutating func store(_ entry: Value) { store(entry, entry.header.key, cost: entry.memoryBytes) }
}
