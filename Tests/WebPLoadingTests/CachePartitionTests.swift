import Foundation
import LoadingTestSupport
import PureWebP
import TestSupport
import Testing

@testable import WebPLoading
@testable import WebPWebView

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that parties that share a cache do not get each other's private images.
/// Expected values: the rules in the documentation of `WebP.ImageCache`, written as tables in the tests.
@Suite struct CachePartitionTests {
  private static let url = URL(string: "http://a/b.webp")!
  private let url = Self.url
  private let folder = TemporaryFolder.place()
  private let cache = WebP.ImageCache(folder: nil)
  private let picture = try! Fixtures.bytes(Fixtures.photo)

  /// A configuration whose storage has the cookie of a user.
  private static var user: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.patient
    configuration.httpCookieStorage?.setCookie(
      HTTPCookie(properties: [.name: "user", .value: "1", .domain: "a", .path: "/"])!)
    return configuration
  }

  /// A server that has the image only for the user with the cookie.
  private var server: ScriptedTransport {
    ScriptedTransport { [picture] request in
      guard request.value(forHTTPHeaderField: "Cookie") != nil else { return [.head(403)] }
      return [.head(200, ["Cache-Control": "private, max-age=600"]), .piece(picture)]
    }
  }

  /// Returns the file that a loader gets, or nil if it fails.
  private func load(
    _ cache: WebP.ImageCache, _ server: ScriptedTransport, _ configuration: URLSessionConfiguration = .patient,
    partition: String? = nil
  ) async -> Data? {
    try? await Loader(configuration: configuration, cache: cache, cachePartition: partition, transport: server)
      .data(for: url)
  }

  // MARK: Parties

  @Test(arguments: [URLSessionConfiguration.patient, nil])
  func otherLoadersDoNotGetPrivateImages(other: URLSessionConfiguration?) async throws {
    let server = server
    let app = Loader(configuration: Self.user, cache: cache, transport: server)
    for _ in 0..<2 { #expect(try await app.data(for: url) == picture) }
    #expect(server.requests.count == 1)
    // The loader has another storage, or none.
    let configuration = other ?? .patient
    if other == nil { configuration.httpCookieStorage = nil }
    #expect(await load(cache, server, configuration) == nil)
    #expect(server.requests.count == 2)
    // Neither do loads of the same loader that send no cookies.
    let error = await #expect(throws: WebP.LoadError.self) {
      try await app.data(for: url, options: .init(handlesCookies: false))
    }
    #expect(error?.underlyingError.code == .noPermissionsToReadFile)
  }

  @Test func pagesDoNotGetPrivateImages() async throws {
    let server = server
    let options = WebPURLProtocol.Options(cache: cache)
    let session = URLSession(configuration: Self.user.withWebP(options, transport: server))
    for _ in 0..<2 { #expect(try await session.data(from: url).0.count > 0) }
    #expect(server.requests.count == 1)
    let (answers, answer) = AsyncStream<PageImage.Answer>.makeStream()
    PageImage(Upstream(.patient, options, transport: server), options) { answer.yield($0) }.start(url)
    var iterator = answers.makeAsyncIterator()
    guard case .failure("status 403") = await iterator.next() else { throw CocoaError(.featureUnsupported) }
    let other = URLSession(configuration: .patient.withWebP(options, transport: server))
    #expect((try await other.data(from: url).1 as? HTTPURLResponse)?.statusCode == 403)
  }

  /// Loads the image for a page, and returns its source, or nil if the load fails.
  private func page(
    _ cache: WebP.ImageCache, _ server: ScriptedTransport, shares: Bool = false, isScheme: Bool = false
  ) async throws -> String? {
    let options = WebPURLProtocol.Options(cache: cache).forPages(sharesCacheWithApp: shares)
    if isScheme {
      let session = URLSession(configuration: .patient.withWebP(options, transport: server))
      let prefixed = try #require(URL(string: "stwebp-http://a/b.webp"))
      return try? await session.data(from: prefixed).0.pngDataURL
    }
    let upstream = Upstream(.patient, options, transport: server)
    guard case .source(let url) = await PageImage.answers(url, upstream, options).last else { return nil }
    return url
  }

  /// By the number of requests, a page could learn what the app has loaded.
  @Test(arguments: [false, true], [false, true])
  func pagesShareNoPublicImages(shares: Bool, isScheme: Bool) async throws {
    let cache = WebP.ImageCache(folder: folder)
    let server = ScriptedTransport(.head(200, ["Cache-Control": "public, max-age=600"]), .piece(picture))
    func app() async -> Data? {
      let session = URLSession(configuration: .patient.withWebP(.init(cache: cache), transport: server))
      return try? await session.data(from: url).0
    }
    let png = await app()
    #expect(png != nil && server.requests.count == 1)
    for _ in 0..<2 { #expect(try await page(cache, server, shares: shares, isScheme: isScheme) == png?.pngDataURL) }
    #expect(server.requests.count == (shares ? 1 : 2))
    #expect(await app() == png)
    #expect(server.requests.count == (shares ? 1 : 2))
    // A page does not remove the app's image.
    let gone = ScriptedTransport(.head(200, ["Cache-Control": "no-store"]), .piece(Data("no image".utf8)))
    let stale = WebP.ImageCache(folder: folder, maximumAge: 0)
    cache.finishWriting()
    _ = try await page(stale, gone, shares: shares, isScheme: isScheme)
    #expect((WebP.ImageCache(folder: folder).png(for: url) == nil) == shares)
  }

  /// After a relaunch without a network, pages show their images, and the app does not get them.
  @Test(arguments: [false, true]) func pagesWorkOffline(isScheme: Bool) async throws {
    let first = WebP.ImageCache(folder: folder)
    let server = ScriptedTransport(.head(200, ["Cache-Control": "max-age=0"]), .piece(picture))
    let shown = try await page(first, server, isScheme: isScheme)
    first.finishWriting()
    let second = WebP.ImageCache(folder: folder)
    second.isOffline = true
    #expect(try await page(second, server, isScheme: isScheme) == shown && shown != nil)
    // A bridge and a scheme handler load for the same pages.
    #expect(try await page(second, server, isScheme: !isScheme) == shown)
    #expect(second.png(for: url) == nil && server.requests.count == 1)
    try second.remove(url)
    #expect(try await page(second, server, isScheme: isScheme) == nil)
  }

  // MARK: Responses

  private struct Exchange: Sendable {
    var sent: [String: String] = [:]
    var hop: [String: String]?
    var received: [String: String] = [:]
    var changesKey = false
    var hasCredential = false
    var options = Loader.Options()
  }

  /// Another party, which is offline, gets the image only if it is shared.
  @Test(
    arguments: [
      (Exchange(), true), (Exchange(received: ["Cache-Control": "public, max-age=1"]), true),
      (Exchange(hop: [:]), true), (Exchange(sent: ["X-Color": "blue"]), true),
      (Exchange(sent: ["Cookie": "user=1"]), false), (Exchange(received: ["Set-Cookie": "user=1"]), false),
      (Exchange(sent: ["Authorization": "a"], received: ["Cache-Control": "public"]), false),
      (Exchange(received: ["cache-control": "Private=\"set-cookie\""]), false),
      (Exchange(hop: ["Set-Cookie": "user=1"]), false), (Exchange(hop: ["Cache-Control": "private"]), false),
      (Exchange(changesKey: true), false), (Exchange(hasCredential: true), false),
      (Exchange(options: .init(handlesCookies: false)), true),
      (Exchange(options: .init(allowsInvalidCertificates: true)), false),
    ] as [(Exchange, Bool)])
  private func onlyOtherResponsesAreShared(exchange: Exchange, isShared: Bool) async throws {
    let server = ScriptedTransport { [picture] request in
      if let hop = exchange.hop, request.url == Self.url {
        return [.head(302, hop.merging(["Location": "/c.webp"]) { $1 })]
      }
      return [.head(200, exchange.received), .piece(picture)]
    }
    let configuration = URLSessionConfiguration.patient
    if exchange.hasCredential {
      let space = URLProtectionSpace(host: "A", port: 80, protocol: "http", realm: nil, authenticationMethod: nil)
      let credential = URLCredential(user: "a", password: "b", persistence: .forSession)
      configuration.urlCredentialStorage?.set(credential, for: space)
    }
    var request = URLRequest(url: exchange.changesKey ? URL(string: "http://a/b.webp?signature=1")! : url)
    for (field, value) in exchange.sent { request.setValue(value, forHTTPHeaderField: field) }
    let loader = Loader(configuration: configuration, cache: cache, transport: server) { _ in Self.url }
    _ = try await loader.data(for: request, options: exchange.options)
    cache.isOffline = true
    #expect(try await loader.data(for: request, options: exchange.options) == picture)
    #expect((await load(cache, server) == picture) == isShared)
  }

  /// A part that is meant for one user makes the complete file private.
  @Test func continuedImagesStayPrivate() async throws {
    let (picture, tag) = (picture, ["ETag": "\"1\""])
    let server = ScriptedTransport { request in
      guard request.value(forHTTPHeaderField: "Range") == nil else {
        let range = "bytes 300-\(picture.count - 1)/\(picture.count)"
        return [.head(206, tag.merging(["Content-Range": range]) { $1 }), .piece(picture.dropFirst(300))]
      }
      let fields = tag.merging(["Set-Cookie": "user=1", "Content-Length": "\(picture.count)"]) { $1 }
      return [.head(200, fields), .piece(picture.prefix(300)), .fail(URLError(.networkConnectionLost))]
    }
    let configuration = URLSessionConfiguration.patient
    configuration.httpCookieStorage = nil
    let loader = Loader(configuration: configuration, cache: cache, transport: server)
    #expect(try await loader.data(for: url, options: .init(maximumRetries: 1, retryDelay: 0)) == picture)
    cache.isOffline = true
    #expect(try await loader.data(for: url) == picture)
    #expect(await load(cache, server) == nil)
  }

  /// If the server confirms a shared image to a user, the image stays stale for the others. If it confirms a private
  /// image to a request without a cookie, the image stays private.
  @Test(arguments: [true, false]) func confirmationsAreForTheParty(isShared: Bool) async throws {
    let control = "max-age=600" + (isShared ? "" : ", private")
    let server = ScriptedTransport { [picture] request in
      guard request.value(forHTTPHeaderField: "If-None-Match") == nil else {
        return [.head(304, ["Cache-Control": "max-age=600"])]
      }
      return [.head(200, ["Cache-Control": control, "Age": "600", "ETag": "1"]), .piece(picture)]
    }
    for configuration in isShared ? [.patient, Self.user] : [Self.user, .patient] {
      #expect(await load(cache, server, configuration, partition: "user") == picture)
    }
    #expect(server.requests.count == 2)
    #expect(await load(cache, server, partition: "user") == picture)
    #expect(server.requests.count == 2)
    _ = await load(cache, server)
    try #require(server.requests.count == 3)
    #expect((server.requests[2].value(forHTTPHeaderField: "If-None-Match") == "1") == isShared)
  }

  /// An older private image does not hide a newer shared one.
  @Test func newerImagesReplacePrivateOnes() async throws {
    let newer = try Fixtures.bytes("encoder-pillow-lossless.webp")
    let server = ScriptedTransport { [picture] request in
      request.value(forHTTPHeaderField: "Cookie") != nil
        ? [.head(200, ["Cache-Control": "max-age=0"]), .piece(picture)]
        : [.head(200, ["Cache-Control": "max-age=600"]), .piece(newer)]
    }
    #expect(await load(cache, server, Self.user, partition: "user") == picture)
    for _ in 0..<2 { #expect(await load(cache, server, partition: "user") == newer) }
    #expect(server.requests.count == 2)
  }

  // MARK: Files

  @Test(arguments: [nil, "user"]) func onlyNamedPartitionsAreOnDisk(name: String?) async throws {
    let server = server
    let first = WebP.ImageCache(folder: folder)
    #expect(await load(first, server, Self.user, partition: name) == picture)
    first.finishWriting()
    let cache = { WebP.ImageCache(folder: folder) }
    #expect((cache().diskBytes > 0) == (name != nil))
    #expect(await load(cache(), server, partition: name) == (name == nil ? nil : picture))
    for other in [nil, "", "other"] { #expect(await load(cache(), server, partition: other) == nil) }
  }

  @Test func imagesAreRemovedInAllPartitions() async throws {
    let cache = WebP.ImageCache(folder: folder)
    for name in [nil, "a", "b"] { _ = await load(cache, server, Self.user, partition: name) }
    let options = WebPURLProtocol.Options(cache: cache, cachePartition: "c")
    let session = URLSession(configuration: Self.user.withWebP(options, transport: server))
    let png = try await session.data(from: url).0
    #expect(cache.png(for: url, partition: "c") == png && cache.png(for: url) == nil)
    let files = cache.diskBytes
    try cache.remove(URL(string: "http://a/b")!)
    #expect(files > 3 * picture.count && cache.diskBytes == files && cache.memoryBytes > 4 * picture.count)
    try cache.remove(url)
    #expect(cache.diskBytes == 0 && cache.memoryBytes == 0)
  }

  /// The name is made of the FNV-1a hashes of the URL and of the form, and of the folder's generation. If the name
  /// changes, add the previous one to `namesOfEarlierVersions`. If the bytes change, so must `Entry.magic`.
  @Test func filesHaveTheCurrentLayout() throws {
    let url = try #require(URL(string: "http://a/b"))
    let header = WebP.ImageCache.Entry.Header(
      url: url, key: WebP.ImageCache.Key(url, .converted, nil), stored: Date(), freshUntil: Date() + 600, headers: [:],
      variant: [:], isOriginal: false)
    let cache = WebP.ImageCache(folder: folder)
    cache.store(.init(header: header, body: Data([1])), onlyInMemory: false)
    cache.finishWriting()
    let generation = try String(contentsOf: folder.appendingPathComponent("webpcache-generation"), encoding: .utf8)
    let file = folder.appendingPathComponent("84e1ece7887b1e73-779e6f1956518c3c-\(generation).webpcache")
    #expect(try cacheFiles(in: folder).map(\.path) == [file.path], "add the previous name to namesOfEarlierVersions")
    let data = try Data(contentsOf: #require(cacheFiles(in: folder).first))
    #expect(data.prefix(4) == Data("PWC4".utf8))
  }

  /// Paths of entries. The first version had no partitions, and names with one hash. The second one had no generation.
  private static let namesOfEarlierVersions = [
    "0123456789abcdef.webpcache", "0123456789abcdef-0123456789abcdef.webpcache",
  ]

  @Test(arguments: namesOfEarlierVersions) func filesOfEarlierVersionsAreRemoved(name: String) throws {
    let folder = try TemporaryFolder.make()
    let old = folder.appendingPathComponent(name)
    try Data("PWC3".utf8).write(to: old)
    #expect(WebP.ImageCache(folder: folder).diskBytes == 0)
    #expect(!FileManager.default.fileExists(atPath: old.path), "`DiskStore.measure` must remove the file")
  }
}
