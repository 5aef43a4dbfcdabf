import Foundation
import PureWebP
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that stored images are bounded in size and age, and that outdated ones are not returned.
/// Expected values: entries and sizes that the tests count.
@Suite struct StoreTests {
  private let folder = TemporaryFolder.place()

  /// Stores a response with the given number of header bytes.
  private func keep(
    _ url: URL, in cache: WebP.ImageCache, headerBytes: Int = 0, body: Data = Data(count: 70),
    onlyInMemory: Bool = false
  ) {
    let fields = ["Cache-Control": "max-age=600", "X-Long": String(count: headerBytes, of: "a")]
    let load = CacheAccess(cache, .converted, URLRequest(url: url), .init(nil))
    load.keep(body, of: Fixtures.response(200, fields, from: url), onlyInMemory: onlyInMemory)
    cache.finishWriting()
  }

  private func url(_ index: Int) -> URL { URL(string: "http://a/\(index).webp")! }

  // MARK: Keys

  /// Schemes are case-insensitive (RFC 3986, section 3.1), including their prefix `stwebp-`.
  @Test func prefixesAreCaseInsensitive() throws {
    let cache = WebP.ImageCache(folder: folder)
    keep(url(1), in: cache)
    for text in ["stwebp-http://a/1.webp", "STWebP-http://a/1.webp", "http://a/1.webp#part"] {
      for _ in 0..<2 {
        #expect(cache.png(for: try #require(URL(string: text))) == Data(count: 70), "\(text)")
        cache.removeAllFromMemory()
      }
    }
    try cache.remove(try #require(URL(string: "STWEBP-http://a/1.webp")))
    #expect(cache.png(for: url(1)) == nil)
  }

  // MARK: Memory

  /// Compares the cache with a list that is searched linearly.
  @Test func leastRecentlyUsedIsEvicted() throws {
    var store = LRUCache<Int, Int>(maximumCost: 40)
    var list: [(key: Int, value: Int, cost: Int)] = []
    var state: UInt32 = 1
    func random(_ bound: UInt32) -> Int {
      state = state &* 1_664_525 &+ 1_013_904_223
      return Int((state >> 16) % bound)
    }
    for step in 0..<5000 {
      let key = random(24)
      let place = list.firstIndex { $0.key == key }
      switch random(10) {
      case 0:
        store.remove(key)
        if let place { list.remove(at: place) }
      case 1..<5:
        try #require(store.value(key) == place.map { list[$0].value }, "step \(step)")
        if let place { list.append(list.remove(at: place)) }
      default:
        // A few values exceed the cache. They are not stored, and evict no other one.
        let cost = random(11) * (random(8) == 0 ? 5 : 1)
        store.store(step, key, cost: cost)
        if let place { list.remove(at: place) }
        if cost <= 40 { list.append((key, step, cost)) }
        while list.reduce(0, { $0 + $1.cost }) > 40 { list.removeFirst() }
      }
      try #require(store.cost == list.reduce(0) { $0 + $1.cost }, "step \(step)")
    }
    store.removeAll()
    #expect(store.cost == 0 && (0..<24).allSatisfy { store.value($0) == nil })
  }

  /// With a linear search for each evicted value, this would take minutes.
  @Test func evictionTakesConstantTime() {
    let count = 30_000
    var store = LRUCache<Int, Int>(maximumCost: count)
    for key in 0..<3 * count {
      store.store(key, key, cost: 1)
    }
    #expect(store.cost == count && store.value(2 * count - 1) == nil && store.value(2 * count) == 2 * count)
  }

  /// Headers may be large, and images may be small. The limit includes headers and the overhead of an entry.
  @Test(arguments: [0, 1 << 16]) func headersCountTowardTheLimit(headerBytes: Int) throws {
    let cache = WebP.ImageCache(folder: nil, maximumMemoryBytes: 1 << 20)
    for index in 0..<1500 { keep(url(index), in: cache, headerBytes: headerBytes) }
    let kept = (0..<1500).count { cache.png(for: url($0)) != nil }
    // An entry without headers takes about a kilobyte of memory.
    #expect(kept > 0 && kept * max(1 << 10, headerBytes) <= 1 << 20)
    #expect(cache.memoryBytes <= 1 << 20)
  }

  @Test func smallDecodedImagesCountTowardTheLimit() async throws {
    let loader = WebP.ImageLoader(configuration: .patient, maximumDecodedBytes: 10_000)
    let options = WebP.ImageLoader.Options(decoding: .init(size: .exact(width: 1, height: 1), isUpright: true))
    let file = Fixtures.folders[1].appendingPathComponent(Fixtures.photo)
    var requests: [URLRequest] = []
    for index in 0..<10 {
      var request = URLRequest(url: file)
      request.setValue("\(index)", forHTTPHeaderField: "X-Index")
      requests.append(request)
      _ = try await loader.image(for: request, options: options)
    }
    #expect(try await loader.image(for: requests[9], options: options).source == .memory)
    #expect(try await loader.image(for: requests[0], options: options).source == .cache)
  }

  // MARK: The folder

  /// A newer image that is not stored still removes the older one.
  @Test(arguments: [(1, true), (4000, false)]) func olderImagesDoNotReturn(bytes: Int, onlyInMemory: Bool) throws {
    let cache = WebP.ImageCache(folder: folder, maximumDiskBytes: 3000)
    keep(url(1), in: cache)
    #expect(cache.diskBytes > 0)
    keep(url(1), in: cache, body: Data(count: bytes), onlyInMemory: onlyInMemory)
    #expect(cache.png(for: url(1))?.count == bytes)
    cache.removeAllFromMemory()
    #expect(cache.png(for: url(1)) == nil && cache.diskBytes == 0)
  }

  // MARK: Clocks

  /// An image that was stored while the clock was ahead would be considered fresh until that time.
  @Test func imagesFromTheFutureAreIgnored() throws {
    let cache = WebP.ImageCache(folder: nil)
    for (index, seconds) in [-1, 3600].enumerated() {
      let now = Date() + TimeInterval(seconds)
      let header = WebP.ImageCache.Entry.Header(
        url: url(index), key: WebP.ImageCache.Key(url(index), .converted, nil), stored: now, freshUntil: now + 600,
        headers: [:], variant: [:], isOriginal: false)
      cache.store(WebP.ImageCache.Entry(header: header, body: Data(count: 70)), onlyInMemory: true)
    }
    #expect(cache.png(for: url(0)) != nil && cache.png(for: url(1)) == nil)
  }

  /// Files are evicted in the order of their dates. If a date in the future counted, its file would be evicted last.
  @Test func filesFromTheFutureAreEvictedFirst() throws {
    let cache = WebP.ImageCache(folder: folder, maximumMemoryBytes: 0, maximumDiskBytes: 110_000)
    for index in 0..<10 {
      let before = try index == 0 ? [] : cacheFiles(in: folder)
      keep(url(index), in: cache, body: Data(count: 10_000))
      let new = try #require(try cacheFiles(in: folder).first { !before.contains($0) })
      // The first image is the oldest one that is not from the future.
      let date = index == 5 ? Date() + 86_400 : Date() - TimeInterval(100 - index)
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: new.path)
    }
    keep(url(10), in: cache, body: Data(count: 10_000))
    #expect((0..<11).filter { cache.png(for: url($0)) == nil } == [0, 5])
  }

  @Test func oversizedImagesEvictNothing() throws {
    let cache = WebP.ImageCache(folder: folder, maximumMemoryBytes: 0, maximumDiskBytes: 3000)
    keep(url(1), in: cache)
    // Sets the least recently used file explicitly, because the file system's clock may be coarse.
    let file = try #require(try cacheFiles(in: folder).first)
    try FileManager.default.setAttributes([.modificationDate: Date() - 10], ofItemAtPath: file.path)
    keep(url(2), in: cache, body: Data(count: 4000))
    #expect(cache.png(for: url(1)) != nil && cache.png(for: url(2)) == nil)
  }

  /// If an image does not fit, a tenth of the space is freed. Replacing an image of the same size frees nothing.
  @Test func evictionFreesATenth() throws {
    // Space for slightly more than ten files, each of which has less than a thousand bytes before its body.
    let cache = WebP.ImageCache(folder: folder, maximumMemoryBytes: 0, maximumDiskBytes: 110_000)
    func kept() -> Int { (0..<11).count { cache.png(for: url($0)) != nil } }
    for index in 0..<10 { keep(url(index), in: cache, body: Data(count: 10_000)) }
    for _ in 0..<20 { keep(url(0), in: cache, body: Data(count: 10_000)) }
    #expect(kept() == 10)
    try cache.remove(url(0))
    keep(url(0), in: cache, body: Data(count: 10_000))
    #expect(kept() == 10)
    keep(url(10), in: cache, body: Data(count: 10_000))
    #expect(kept() == 9)
  }

  /// If a file cannot be renamed, its temporary file is removed.
  @Test func filesThatCannotBeRenamedAreRemoved() throws {
    let cache = WebP.ImageCache(folder: folder)
    keep(url(1), in: cache)
    let file = try #require(try cacheFiles(in: folder).first)
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    keep(url(1), in: cache)
    #expect(try cacheFiles(in: folder).allSatisfy { $0.pathExtension != "webpcache-part" })
  }

  /// The user or the app may remove the folder, for example to clear all caches.
  @Test func removedFoldersAreCreatedAgain() throws {
    let cache = WebP.ImageCache(folder: folder, maximumMemoryBytes: 0)
    keep(url(1), in: cache)
    #expect(cache.diskBytes > 0)
    try FileManager.default.removeItem(at: folder)
    #expect(cache.diskBytes == 0)
    keep(url(2), in: cache)
    #expect(cache.png(for: url(1)) == nil && cache.png(for: url(2)) != nil)
    #expect(try cacheFiles(in: folder).map { try Data(contentsOf: $0).count } == [cache.diskBytes])
  }

  /// A file that is longer than its header says, or than the store permits, is removed without being read.
  @Test(arguments: [nil, UInt64(1) << 40]) func oversizedFilesAreNotRead(claimedLength: UInt64?) throws {
    let cache = WebP.ImageCache(folder: folder, maximumMemoryBytes: 0)
    keep(url(1), in: cache)
    let file = try #require(try cacheFiles(in: folder).first)
    let handle = try FileHandle(forWritingTo: file)
    if let claimedLength {
      // The body length is at offset 12.
      try handle.seek(toOffset: 12)
      try handle.write(contentsOf: Data((0..<8).map { UInt8(truncatingIfNeeded: claimedLength >> ($0 * 8)) }))
    }
    try handle.truncate(atOffset: 1 << 40)
    try handle.close()
    #expect(cache.png(for: url(1)) == nil)
    #expect(try cacheFiles(in: folder).isEmpty)
  }

  /// A reader of an image that is removed or replaced meanwhile does not store it again.
  @Test(arguments: [{ try $0.remove($1) }, { cache, _ in try cache.removeAll() }, nil] as [Removal?])
  func removedImagesDoNotReturn(remove: Removal?) throws {
    // Reading a file of this size takes so long that the removal happens meanwhile.
    let (old, new) = (Data(count: 1 << 23), Data([1]))
    for delay in 0..<8 {
      let cache = WebP.ImageCache(folder: folder)
      keep(url(1), in: cache, body: old)
      cache.removeAllFromMemory()
      let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      DispatchQueue.global().async {
        begun.signal()
        _ = cache.png(for: url(1))
        ended.signal()
      }
      begun.wait()
      usleep(UInt32(delay) * 500)
      if let remove { try remove(cache, url(1)) } else { keep(url(1), in: cache, body: new) }
      ended.wait()
      if remove == nil { #expect(cache.png(for: url(1)) == new) } else { #expect(cache.memoryBytes == 0) }
    }
  }

  typealias Removal = @Sendable (WebP.ImageCache, URL) throws -> Void
}
