import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that the URL protocol uses the cache as RFC 9111 specifies.
/// Expected values: the requests that a server on the loopback interface receives.
@Suite(.gated, .needs("python3")) struct CacheTests {
  private static let reference = Fixtures.references[Fixtures.photo]

  private let folder = TemporaryFolder.place()

  private func session(_ cache: WebP.ImageCache) -> URLSession {
    return URLSession(configuration: .patient.withWebP(.init(cache: cache, cachePartition: "tests")))
  }

  private func load(
    _ exchange: Exchange, _ cache: WebP.ImageCache, _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy,
    headers: [String: String] = [:]
  ) async throws -> HTTPURLResponse {
    var request = URLRequest(url: exchange.url, cachePolicy: policy)
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let (png, response) = try await session(cache).data(for: request)
    cache.finishWriting()
    #expect(try PNGReader(png).reference == Self.reference)
    let http = try #require(response as? HTTPURLResponse)
    #expect(http.statusCode == 200)
    #expect(http.value(forHTTPHeaderField: "Content-Type") == "image/png")
    // The length is known if the response is delivered after its complete body.
    let length = http.value(forHTTPHeaderField: "Content-Length")
    #expect(length == nil || length == "\(png.count)")
    return http
  }

  // MARK: Hits and misses

  @Test func hitsNeedNoRequest() async throws {
    let exchange = Exchange(Fixtures.photo, ["header": "Cache-Control:max-age=600"])
    let cache = WebP.ImageCache(folder: folder)
    _ = try await load(exchange, cache)
    _ = try await load(exchange, cache)  // from memory
    _ = try await load(exchange, WebP.ImageCache(folder: folder))  // from disk
    let prefixed = Exchange(id: exchange.id, url: URL(string: "stwebp-" + exchange.url.absoluteString + "#top")!)
    _ = try await load(prefixed, cache)
    let delegated = await URLSession.record(URLRequest(url: exchange.url), session(cache).configuration)
    #expect(try PNGReader(delegated.body).reference == Self.reference)
    #expect(delegated.response?.value(forHTTPHeaderField: "Content-Length") == "\(delegated.body.count)")
    #expect(try await exchange.log().count == 1)
  }

  @Test(arguments: [
    "ETag:\"one\"", "Last-Modified:Fri, 20 Nov 2026 10:00:00 GMT", "Cache-Control:no-cache",
  ])
  func staleEntriesAreValidated(header: String) async throws {
    var url = Exchange(Fixtures.photo, ["header": header])
    if header.hasPrefix("Cache") { url = Exchange(url, adding: [("header", "ETag:two")]) }
    // Without `max-age`, a response is fresh for a tenth of the time since its last change.
    if header.hasPrefix("Last") { url = Exchange(url, adding: [("header", "Cache-Control:max-age=0")]) }
    let cache = WebP.ImageCache(folder: folder)
    _ = try await load(url, cache)
    let second = try await load(url, cache)
    let requests = try await url.log()
    try #require(requests.count == 2)
    let asked = requests[1].headers
    #expect(asked["if-none-match"] != nil || asked["if-modified-since"] != nil)
    #expect(requests[1].sent == 0)
    #expect(second.value(forHTTPHeaderField: "X-STWebP") == "YES")
  }

  @Test(arguments: [
    "Cache-Control:no-store", "Vary:X-Anything", "Expires:0", "Cache-Control:max-age=100, no-store", "Vary:*",
  ])
  func uncacheableResponsesAreRequestedAgain(header: String) async throws {
    let exchange = Exchange(Fixtures.photo, ["header": header])
    let cache = WebP.ImageCache(folder: folder)
    for _ in 0..<2 { _ = try await load(exchange, cache) }
    #expect(try await exchange.log().count == 2)
  }

  /// A redirect is followed again each time. Validators of one target are not sent to another.
  @Test func redirectsAreFollowedAgain() async throws {
    let target = Exchange(
      Exchange(Fixtures.photo, ["header": "Cache-Control:max-age=600"]), adding: [("header", "ETag:one")])
    let moved = Exchange("moved.webp", ["to": target.url.absoluteString])
    let cache = WebP.ImageCache(folder: folder)
    for _ in 0..<2 { _ = try await load(moved, cache) }
    #expect(try await moved.log().map { $0.headers["if-none-match"] } == [nil, nil])
    let seen = try await target.log()
    #expect(seen.count == 2 && seen.allSatisfy { $0.headers["if-none-match"] == nil })
    cache.isOffline = true
    _ = try await load(moved, cache)

    cache.isOffline = false
    let changed = "Fri, 20 Nov 2020 10:00:00 GMT"
    let later = Exchange(
      Exchange(Fixtures.photo, ["later": target.url.absoluteString]),
      adding: ["ETag:one", "Last-Modified:\(changed)", "Cache-Control:no-cache"].map { ("header", $0) })
    for _ in 0..<2 { _ = try await load(later, cache) }
    for (field, validator) in [("if-none-match", "one"), ("if-modified-since", changed)] {
      #expect(try await later.log().map { $0.headers[field] } == [nil, validator])
      #expect(try await target.log().map { $0.headers[field] } == [nil, nil, nil])
    }
  }

  @Test func connectionHeadersAreNotStored() async throws {
    let fields = [
      "Set-Cookie:secret=1", "Set-Cookie2:secret=2", "Connection:X-Hop, close", "X-Hop:1", "Keep-Alive:timeout=5",
      "Proxy-Authenticate:Basic", "TE:trailers", "Trailer:X-End", "Upgrade:h2c", "X-Kept:yes", "ETag:one",
    ]
    let exchange = Exchange(Exchange(Fixtures.photo), adding: fields.map { ("header", $0) })
    func expectFewer(_ response: HTTPURLResponse) {
      let names = Set(response.headers.keys.map { $0.lowercased() })
      #expect(names.contains("x-kept"))
      #expect(names.isDisjoint(with: fields.dropLast(2).map { $0.prefix { $0 != ":" }.lowercased() }))
    }
    let cache = { WebP.ImageCache(folder: folder) }
    _ = try await load(exchange, cache())
    expectFewer(try await load(exchange, cache(), .returnCacheDataDontLoad))
    expectFewer(try await load(exchange, cache()))  // a 304 response has these fields too
    expectFewer(try await load(exchange, cache(), .returnCacheDataDontLoad))
    #expect(try await exchange.log().map { $0.sent == 0 } == [false, true])
    for file in try cacheFiles(in: folder) {
      #expect(try Data(contentsOf: file).range(of: Data("secret=".utf8)) == nil)
      let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
  }

  @Test func secretsAreNotStored() async throws {
    let exchange = Exchange(Fixtures.photo, ["header": "Cache-Control:max-age=600"])
    let cache = WebP.ImageCache(folder: folder)
    _ = try await load(exchange, cache, headers: ["Authorization": "Bearer 1"])
    #expect(cache.png(for: exchange.url) == nil)
    let open = Exchange(Fixtures.photo, ["header": "Cache-Control:public, max-age=600"])
    _ = try await load(open, cache, headers: ["Authorization": "Bearer 1"])
    #expect(cache.png(for: open.url) == nil && cache.png(for: open.url, partition: "tests") != nil)
  }

  @Test func failuresAreNotStored() async throws {
    let cache = WebP.ImageCache(folder: folder)
    for query in [["cut": "500"], ["cut": "500", "chunked": "1"], ["status": "404"], ["as": "animation-nothing.webp"]] {
      let exchange = Exchange(
        Fixtures.photo, query.merging(["header": "Cache-Control:max-age=600"]) { first, _ in first })
      _ = try? await session(cache).data(from: exchange.url)
      #expect(cache.png(for: exchange.url) == nil)
    }
    #expect(cache.memoryBytes == 0 && cache.diskBytes == 0)
  }

  @Test func requestPoliciesAreObeyed() async throws {
    let cache = WebP.ImageCache(folder: folder)
    let exchange = Exchange(Fixtures.photo, ["header": "Cache-Control:max-age=600"])
    await #expect { try await load(exchange, cache, .returnCacheDataDontLoad) } throws: {
      ($0 as? URLError)?.code == .resourceUnavailable
    }
    _ = try await load(exchange, cache, .returnCacheDataElseLoad)
    #expect(try await exchange.log().count == 1)
    _ = try await load(exchange, cache, .returnCacheDataDontLoad)
    #expect(try await exchange.log().count == 1)
    _ = try await load(exchange, cache, .reloadIgnoringLocalCacheData)
    #expect(try await exchange.log().count == 2)
  }

  @Test func offlineCacheAnswersWithoutTheServer() async throws {
    let cache = WebP.ImageCache(folder: folder)
    let exchange = Exchange(Fixtures.photo, ["header": "Cache-Control:no-cache"])
    _ = try await load(exchange, cache)
    cache.isOffline = true
    _ = try await load(exchange, cache)
    await #expect { try await load(Exchange(Fixtures.photo), cache) } throws: {
      ($0 as? URLError)?.code == .notConnectedToInternet && $0.localizedDescription.contains("cache")
    }
    #expect(try await exchange.log().count == 1)
    cache.isOffline = false
    _ = try await load(exchange, cache)
    #expect(try await exchange.log().count == 2)
  }

  // MARK: Bounds

  @Test func sizeAndAgeAreBounded() async throws {
    let exchanges = (0..<12).map { _ in Exchange(Fixtures.photo, ["header": "Cache-Control:max-age=600"]) }
    let measure = WebP.ImageCache(folder: folder.appendingPathComponent("measure"))
    _ = try await load(exchanges[0], measure)
    let (one, file) = (measure.memoryBytes, measure.diskBytes)
    #expect(one > 0 && file > 0)
    try measure.removeAll()

    let cache = WebP.ImageCache(folder: folder, maximumMemoryBytes: one * 5 / 2, maximumDiskBytes: file * 11 / 2)
    for exchange in exchanges {
      _ = try await load(exchange, cache)
      #expect(cache.memoryBytes <= one * 5 / 2)
      #expect(cache.diskBytes <= file * 11 / 2)
      // The first image is used repeatedly, so it is retained.
      #expect(cache.png(for: exchanges[0].url) != nil)
      cache.removeAllFromMemory()
      try age()
    }
    #expect(cache.png(for: exchanges[11].url) != nil)
    #expect(cache.png(for: exchanges[1].url) == nil)
    #expect(WebP.ImageCache(folder: folder, maximumAge: 0).png(for: exchanges[0].url) == nil)

    try cache.remove(exchanges[0].url)
    #expect(cache.png(for: exchanges[0].url) == nil)
    try cache.removeAll()
    #expect(cache.memoryBytes == 0 && cache.diskBytes == 0)
    #expect(try cacheFiles(in: folder).allSatisfy { $0.pathExtension != "webpcache" })
  }

  /// Makes all files a second older, so that their order does not depend on the resolution of the file system's clock.
  private func age() throws {
    for file in try cacheFiles(in: folder) {
      let date = try #require(file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate)
      try FileManager.default.setAttributes([.modificationDate: date - 1], ofItemAtPath: file.path)
    }
  }

  // MARK: Corrupt files

  @Test func corruptFilesAreDiscarded() async throws {
    let exchange = Exchange(Fixtures.photo, ["header": "Cache-Control:max-age=600"])
    _ = try await load(exchange, WebP.ImageCache(folder: folder))
    let file = try #require(try cacheFiles(in: folder).first)
    let good = try Data(contentsOf: file)

    let lengths = Array(stride(from: 0, to: good.count, by: 97)) + [good.count - 1]
    func changed(at offset: Int) -> Data {
      var data = good
      data[offset] ^= 0x10
      return data
    }
    // The second file is too short for a header. Its checksum, 0, is correct for the missing data.
    let corrupt =
      [
        ("a byte too many", good + [0]), ("only a prefix", good.prefix(4) + Data(count: 4)),
        ("zeros", Data(count: 100)),
      ]
      + lengths.map { ("only \($0) bytes", good.prefix($0)) }
      + lengths.map { ("another byte at offset \($0)", changed(at: $0)) }
    for (fault, data) in corrupt {
      try data.write(to: file)
      try #require(WebP.ImageCache(folder: folder).png(for: exchange.url) == nil, "a file with \(fault) is an entry")
      try #require(!FileManager.default.fileExists(atPath: file.path), "a file with \(fault) is not removed")
    }
    try good.prefix(200).write(to: file)
    _ = try await load(exchange, WebP.ImageCache(folder: folder))
    #expect(try await exchange.log().count == 2)
    #expect(WebP.ImageCache(folder: folder).png(for: exchange.url) != nil)

    // A file with the name of another entry is not returned for that entry.
    let other = Exchange(Fixtures.photo, ["header": "Cache-Control:max-age=600"])
    _ = try await load(other, WebP.ImageCache(folder: folder))
    for name in try cacheFiles(in: folder) { try good.write(to: name) }
    #expect(WebP.ImageCache(folder: folder).png(for: other.url) == nil)
  }

  /// The folder may contain other files and folders. The cache removes only its own files.
  @Test func abandonedFilesAreRemoved() async throws {
    // Temporary files are where entries are.
    let stored = Exchange(Fixtures.photo, ["header": "Cache-Control:max-age=600"])
    _ = try await load(stored, WebP.ImageCache(folder: folder))
    let entry = try #require(try cacheFiles(in: folder).first)
    try FileManager.default.removeItem(at: entry)
    func part(_ name: String) -> URL {
      entry.deletingPathExtension().appendingPathExtension("\(name).webpcache-part")
    }
    let (old, new) = (part("old"), part("new"))
    let earlier = folder.appendingPathComponent("0123456789abcdef.earlier.webpcache-part")
    let foreign = ["notes.txt", "old.tmp", "webpcache"].map { folder.appendingPathComponent($0) }
    let subfolder = folder.appendingPathComponent("more.webpcache")
    let within = subfolder.appendingPathComponent("0123456789abcdef.webpcache")
    try FileManager.default.createDirectory(at: subfolder, withIntermediateDirectories: true)
    let written: [URL] = [old, new, earlier, within] + foreign
    for file in written { try Data([1]).write(to: file) }
    let aged: [URL] = [old, earlier, subfolder, within] + foreign
    let date = Date(timeIntervalSinceNow: -7200)
    for file in aged { try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path) }
    func exists(_ file: URL) -> Bool { FileManager.default.fileExists(atPath: file.path) }

    let exchange = Exchange(Fixtures.photo, ["header": "Cache-Control:max-age=600"])
    let cache = WebP.ImageCache(folder: folder, maximumDiskBytes: 100_000)
    #expect(cache.diskBytes == 0)
    #expect(!exists(old), "`measure` must remove temporary files")
    #expect(!exists(earlier), "`measure` must remove temporary files of earlier versions")
    #expect(exists(new))
    _ = try await load(exchange, cache)
    #expect(try cacheFiles(in: folder).count == 6 && cache.diskBytes > 0)
    try cache.removeAll()
    let kept: [URL] = foreign + [within]
    #expect(try Set(cacheFiles(in: folder).map(\.lastPathComponent)) == Set(kept.map(\.lastPathComponent)))
  }

  @Test func killedWritersLeaveNoPartialEntries() async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // After the first load, all loads are answered by a 304. Each of them writes the complete file again.
    let exchange = Exchange("four-megapixels.webp", ["header": "ETag:\"one\""])
    let cache = { WebP.ImageCache(folder: folder) }
    var found = 0
    for round in 0..<24 {
      let arguments = [folder.path, exchange.url.absoluteString, "\(round * 2000)"]
      let writer = try await Programs.run("CacheWriter", arguments)
      #expect(writer.status == SIGKILL, "\(writer.errors)")
      guard let png = cache().png(for: exchange.url) else { continue }
      found += 1
      if found == 1 || round > 21 {
        #expect(try PNGReader(png).reference == Fixtures.references["four-megapixels.webp"])
      } else {
        #expect(png.suffix(8).prefix(4).elementsEqual("IEND".utf8))
      }
    }
    #expect(found > 0)
  }

  @Test func concurrentLoadsShareTheCache() async throws {
    let names = ["encoder-cwebp-q75.webp", "encoder-cwebp-alpha-best.webp", "encoder-pillow-lossless.webp"]
    let caches = (0..<3).map { _ in
      WebP.ImageCache(folder: folder, maximumMemoryBytes: 20_000, maximumDiskBytes: 40_000)
    }
    let id = Exchange("").id
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<60 {
        group.addTask {
          let name = names[index % 3]
          let url = Exchange.url(name, [("id", id), ("n", "\(index % 7)"), ("header", "Cache-Control:max-age=600")])
          let (png, _) = try await self.session(caches[index % 2]).data(from: url)
          if index % 10 == 0 { try caches[2].remove(url) }
          return try PNGReader(png).reference == Fixtures.references[name]
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
    for cache in caches { #expect(cache.memoryBytes <= 20_000) }
  }
}

extension Exchange {
  fileprivate init(_ other: Exchange, adding query: [(String, String)]) {
    var parts = URLComponents(url: other.url, resolvingAgainstBaseURL: false)!
    parts.queryItems! += query.map { URLQueryItem(name: $0.0, value: $0.1) }
    self.init(id: other.id, url: parts.url!)
  }
}
