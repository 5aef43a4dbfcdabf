import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that a loader returns stored images only if their requests permit it.
/// Expected values: the requests that a server on the loopback interface receives.
@Suite(.gated, .needs("python3")) struct LoaderRulesTests {
  private let loader = WebP.ImageLoader(configuration: .patient)

  /// Files are loaded even if the cache is offline or the policy permits only cached data.
  @Test func filesNeedNoNetwork() async throws {
    let cache = WebP.ImageCache(folder: nil)
    let file = Fixtures.folders[1].appendingPathComponent(Fixtures.photo)
    cache.isOffline = true
    for policy in [.useProtocolCachePolicy, .returnCacheDataDontLoad] as [URLRequest.CachePolicy] {
      let loader = WebP.ImageLoader(configuration: .patient, cache: cache)
      let loaded = try await loader.image(for: URLRequest(url: file, cachePolicy: policy))
      #expect(Fixtures.Reference(loaded.image) == Fixtures.references[Fixtures.photo])
      cache.isOffline = false
    }
  }

  /// Without the prefix, these URLs have no valid scheme. Foundation traps if such a scheme is assigned.
  @Test(arguments: ["stwebp-://a/b.webp", "stwebp-1http://a/b.webp"])
  func prefixedURLsWithoutSchemeAreRejected(_ text: String) async throws {
    let url = try #require(URL(string: text))
    let error = await #expect(throws: WebP.LoadError.self) { try await loader.image(for: url) }
    #expect(error?.underlyingError.code == .unsupportedURL)
    let session = URLSession(configuration: .patient.withWebP())
    await #expect(throws: (any Error).self) { try await session.data(from: url) }
  }

  /// Reading the complete file would need a terabyte of memory.
  @Test func filesAreReadUpToTheMaximumLength() async throws {
    let file = TemporaryFolder.place()
    #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
    try FileHandle(forWritingTo: file).truncate(atOffset: 1 << 40)
    let options = WebP.ImageLoader.Options(decoding: .init(isUpright: true, limits: .init(maximumBytes: 1000)))
    let error = await #expect(throws: WebP.LoadError.self) { try await loader.image(for: file, options: options) }
    #expect(error?.underlyingError.code == .dataLengthExceedsMaximum)
  }

  @Test func filesAreDecoded() throws {
    let file = Fixtures.folders[1].appendingPathComponent(Fixtures.photo)
    let options = WebP.DecodeOptions(size: .exact(width: 9, height: 5))
    let expected = try WebP.decode(Data(contentsOf: file), options: options)
    #expect(try WebP.decode(contentsOf: file, options: options) == expected)
  }

  @Test func errorsOfFilesNameTheFile() throws {
    let file = TemporaryFolder.place()
    try Data("RIFF".utf8).write(to: file)
    let error = #expect(throws: WebP.LoadError.self) { try WebP.decode(contentsOf: file) }
    #expect(error?.underlyingError.code == .cannotDecodeContentData && error?.url == file)
    #expect(error?.localizedDescription.hasPrefix("\(file.lastPathComponent): truncated") == true)
    #expect(error?.underlyingError.errorUserInfo[NSUnderlyingErrorKey] is WebP.DecodeError)
  }

  @Test func dataReceivesPixelsAtItsStart() throws {
    let file = try Data(contentsOf: Fixtures.folders[1].appendingPathComponent(Fixtures.photo))
    let expected = try WebP.decode(file).pixels
    var pixels = Data(repeating: 7, count: expected.count + 5)
    try WebP.decode(file, into: &pixels)
    #expect(pixels.elementsEqual(expected + [7, 7, 7, 7, 7]))
    try WebP.decode(file, into: &pixels[5...])
    #expect(pixels.elementsEqual(expected[..<5] + expected))
    #expect(throws: WebP.DecodeError.self) { try WebP.decode(file, into: &pixels[6...]) }
  }

  /// The limit also applies before the image header, which any number of unknown chunks may precede.
  @Test func bodiesAreReadUpToTheLimit() throws {
    var decoding = ImageDecoding(options: .init(limits: .init(maximumBytes: 5000)))
    var bytes = Data(FileWriter.riff(FileWriter.vp8X(flags: 0, width: 67, height: 45), size: 1 << 24))
    let error = #expect(throws: WebP.DecodeError.self) {
      for _ in 0..<1000 {
        _ = try decoding.readHeaders(bytes)
        bytes += FileWriter.chunk("none", [])
      }
    }
    #expect(error?.kind == .limitExceeded && bytes.count <= 5008)
  }

  /// Rows are reported as soon as a sixteenth of the image is new.
  @Test func rowsAreReportedInSixteenths() throws {
    let file = try Fixtures.bytes("options-lossless-97x61.webp")
    var decoding = ImageDecoding(options: .init())
    var decoder = WebP.StreamingDecoder()
    var reported = 0
    for end in 1...file.count {
      _ = try decoding.readHeaders(file.prefix(end))
      while try decoding.decodeStep(file.prefix(end), isComplete: true) {}
      _ = try decoder.append(file[(end - 1)..<end])
      let isDue = (decoder.finishedRows - reported) * 16 >= 61
      #expect(decoding.newRows()?.rows == (isDue ? reported..<decoder.finishedRows : nil))
      if isDue { reported = decoder.finishedRows }
    }
    #expect(reported == 61)
  }

  /// The server pauses forever in a body that is not an image.
  @Test(arguments: [["status": "404"], ["as": "index.tsv"]])
  func failuresEndTheDownload(query: [String: String]) async throws {
    let exchange = Exchange(Fixtures.photo, query.merging(["hold": "300"]) { $1 })
    await #expect(throws: WebP.LoadError.self) { try await loader.image(for: exchange.url) }
    _ = try await exchange.wait { $0.first?.aborted == true }
  }

  /// The descriptions consist of words, not of an error number.
  @Test func errorsDescribeTheProblem() async throws {
    let offline = WebP.ImageCache(folder: nil)
    offline.isOffline = true
    let cases: [(String, URLRequest.CachePolicy, URLError.Code, words: String)] = [
      ("data:image/webp;base64,UklGRg==", .useProtocolCachePolicy, .cannotDecodeContentData, "truncated"),
      ("data:image/webp;base64,????", .useProtocolCachePolicy, .badURL, "Base64"),
      ("data:image/webp", .useProtocolCachePolicy, .badURL, "comma"),
      ("a.webp", .useProtocolCachePolicy, .unsupportedURL, "http, https, file or data"),
      ("ftp://a/b.webp", .useProtocolCachePolicy, .unsupportedURL, "http, https, file or data"),
      ("file:///none/a.webp", .useProtocolCachePolicy, .fileDoesNotExist, "No such file"),
      (Fixtures.folders[0].absoluteString, .useProtocolCachePolicy, .fileDoesNotExist, "directory"),
      ("http://a/b.webp", .useProtocolCachePolicy, .notConnectedToInternet, "offline"),
      ("http://a/b.webp", .returnCacheDataDontLoad, .resourceUnavailable, "cache"),
    ]
    for (text, policy, code, words) in cases {
      let cache = code == .notConnectedToInternet ? offline : WebP.ImageCache(folder: nil)
      let loader = WebP.ImageLoader(configuration: .patient, cache: cache)
      let request = URLRequest(url: try #require(URL(string: text)), cachePolicy: policy)
      let error = await #expect(throws: WebP.LoadError.self) { try await loader.image(for: request) }
      #expect(error?.underlyingError.code == code)
      #expect(error?.localizedDescription.contains(words) == true, "\(text)")
    }
  }

  /// Data URLs need no network, and have the same limit as files.
  @Test func dataURLsAreLoaded() async throws {
    let file = try Fixtures.bytes(Fixtures.photo)
    let url = try #require(URL(string: "data:image/webp;base64,\(file.base64EncodedString())"))
    let loaded = try await loader.image(for: url)
    #expect(Fixtures.Reference(loaded.image) == Fixtures.references[Fixtures.photo] && !loaded.fadesIn)
    #expect(try await loader.data(for: url) == file)
    let options = WebP.ImageLoader.Options(
      decoding: .init(isUpright: true, limits: .init(maximumBytes: file.count - 1)))
    let error = await #expect(throws: WebP.LoadError.self) {
      try await loader.image(for: URLRequest(url: url), options: options)
    }
    #expect(error?.underlyingError.code == .dataLengthExceedsMaximum)
  }

  /// If one reader of a load forbids storing on disk, the image is stored in memory only. This holds for any order of
  /// the readers, and even if that reader leaves early.
  @Test(arguments: [true, false], [true, false]) func oneReaderMayForbidStoringOnDisk(isFirst: Bool, leaves: Bool)
    async throws
  {
    let folder = TemporaryFolder.place()
    let cache = WebP.ImageCache(folder: folder)
    let loader = WebP.ImageLoader(configuration: .patient, cache: cache)
    let exchange = Exchange(Fixtures.photo, ["hold": "-1", "header": "Cache-Control:max-age=600"])
    var streams = [isFirst, !isFirst].map { forbids in
      return loader.updates(for: URLRequest(url: exchange.url), options: .init(keepsInMemoryOnly: forbids))
    }
    _ = try await exchange.wait { !$0.isEmpty }
    if leaves { streams.remove(at: isFirst ? 0 : 1) }
    try await exchange.release()
    for stream in streams { for try await _ in stream {} }
    #expect(try await exchange.log().count == 1)
    #expect(cache.memoryBytes > 0 && cache.diskBytes == 0)
  }

  @Test func metadataIsLimited() async throws {
    let file = Fixtures.folders[0].appendingPathComponent("profile-and-orientation.webp")
    var options = WebP.ImageLoader.Options()
    #expect(try await loader.image(for: file, options: options).metadata.exif != nil)
    options.decoding.limits.maximumMetadataBytes = 0
    #expect(try await loader.image(for: file, options: options).metadata == WebP.Metadata())
  }

  @Test(
    arguments: [
      (.useProtocolCachePolicy, nil, .memory), (.useProtocolCachePolicy, "no-cache", .network),
      (.useProtocolCachePolicy, "no-store", .network), (.returnCacheDataElseLoad, nil, .memory),
      (.returnCacheDataElseLoad, "no-cache", .memory), (.returnCacheDataDontLoad, nil, .memory),
      (.reloadIgnoringLocalCacheData, nil, .network), (.reloadIgnoringLocalAndRemoteCacheData, nil, .network),
      (.reloadRevalidatingCacheData, nil, .network),
    ] as [(URLRequest.CachePolicy, String?, WebP.ImageLoader.Loaded.Source)])
  func requestsMayRequireTheServer(
    policy: URLRequest.CachePolicy, control: String?, source: WebP.ImageLoader.Loaded.Source
  ) async throws {
    let exchange = Exchange(Fixtures.photo, ["header": "Cache-Control:no-cache"])
    var request = URLRequest(url: exchange.url)
    request.setValue(control, forHTTPHeaderField: "Cache-Control")
    #expect(try await loader.image(for: request).source == .network)
    request.cachePolicy = policy
    #expect(try await loader.image(for: request).source == source)
    #expect(try await exchange.log().count == (source == .memory ? 1 : 2))
  }

  @Test func serversMayForbidStoring() async throws {
    let exchange = Exchange(Fixtures.photo, ["header": "Cache-Control:no-store"])
    for _ in 0..<2 { #expect(try await loader.image(for: exchange.url).source == .network) }
    #expect(try await exchange.log().count == 2)
  }

  /// A request without a policy has the policy of the configuration.
  @Test(
    arguments: [
      (.reloadIgnoringLocalCacheData, "max-age=600", 2), (.returnCacheDataElseLoad, "no-cache", 1),
      (.useProtocolCachePolicy, "max-age=600", 1),
    ] as [(URLRequest.CachePolicy, String, Int)])
  func policiesOfConfigurationsApply(policy: URLRequest.CachePolicy, control: String, requests: Int) async throws {
    let configuration = URLSessionConfiguration.patient
    configuration.requestCachePolicy = policy
    let pictures = Exchange(Fixtures.photo, ["header": "Cache-Control:\(control)"])
    let loader = WebP.ImageLoader(configuration: configuration, cache: WebP.ImageCache(folder: nil))
    for _ in 0..<2 { _ = try await loader.image(for: pictures.url) }
    #expect(try await pictures.log().count == requests)
    let request = URLRequest(url: pictures.url, cachePolicy: .returnCacheDataDontLoad)
    #expect(try await loader.image(for: request).source != .network)

    let session = URLSession(configuration: configuration.withWebP(.init(cache: WebP.ImageCache(folder: nil))))
    let converted = Exchange(Fixtures.photo, ["header": "Cache-Control:\(control)"])
    for _ in 0..<2 { _ = try await session.data(from: converted.url) }
    #expect(try await converted.log().count == requests)
  }

  /// Decoded images and failures of a URL are removed after an unsafe request (RFC 9111, section 4.4).
  @Test(arguments: [("POST", 200, true), ("PUT", 201, true), ("POST", 404, false), ("HEAD", 200, false)])
  func unsafeMethodsInvalidate(method: String, status: Int, isInvalidated: Bool) async throws {
    let (loader, url) = try answered()
    func load(_ method: String, _ status: Int, _ url: URL) async -> WebP.ImageLoader.Loaded.Source? {
      var request = URLRequest(url: url)
      request.httpMethod = method
      AnsweringProtocol.statuses.withLock { $0[url] = status }
      return try? await loader.image(for: request).source
    }
    let (missing, other) = (url.appendingPathComponent("missing"), url.appendingPathComponent("other"))
    #expect(await load("GET", 404, missing) == nil)
    for url in [url, other] { #expect(await load("GET", 200, url) == .network) }
    for url in [url, missing] { _ = await load(method, status, url) }
    #expect(await load("GET", 200, missing) == (isInvalidated ? .network : nil))
    #expect(await load("GET", 200, url) == (isInvalidated ? .network : .memory))
    #expect(await load("GET", 200, other) == .memory)
  }

  private func answered() throws -> (loader: WebP.ImageLoader, url: URL) {
    let configuration = URLSessionConfiguration.patient
    configuration.protocolClasses = [AnsweringProtocol.self]
    let url = try #require(URL(string: "http://\(AnsweringProtocol.host)/\(UUID()).webp"))
    return (WebP.ImageLoader(configuration: configuration), url)
  }

  /// A later success removes the failure, also for readers with other decoding options.
  @Test func successRemovesTheFailure() async throws {
    let (loader, url) = try answered()
    let retrying = WebP.ImageLoader.Options(retriesFailed: true)
    AnsweringProtocol.statuses.withLock { $0[url] = 404 }
    await #expect(throws: WebP.LoadError.self) { try await loader.image(for: url) }
    AnsweringProtocol.statuses.withLock { $0[url] = 200 }
    _ = try await loader.image(for: url, options: retrying)
    let reload = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
    #expect(try await loader.image(for: reload).source == .network)
  }

  /// A reload starts a new download, because an earlier one may be answered by a cache.
  @Test func reloadsDoNotJoinOtherDownloads() async throws {
    let exchange = Exchange(Fixtures.photo, ["hold": "-1"])
    let streams = ([.useProtocolCachePolicy, .reloadIgnoringLocalCacheData] as [URLRequest.CachePolicy]).map {
      loader.updates(for: URLRequest(url: exchange.url, cachePolicy: $0))
    }
    _ = try await exchange.wait { $0.count == 2 }
    try await exchange.release()
    for stream in streams { for try await _ in stream {} }
  }

  private func order(_ exchange: Exchange) -> URLRequest {
    var request = URLRequest(url: exchange.url)
    request.httpMethod = "POST"
    request.httpBody = Data("order=1".utf8)
    return request
  }

  @Test func requestsWithOtherMethodsAreSent() async throws {
    let exchange = Exchange(Fixtures.photo)
    for _ in 0..<2 { #expect(try await loader.image(for: order(exchange)).source == .network) }
    #expect(try await exchange.log().map(\.method) == ["POST", "POST"])
  }

  /// Equal POST requests are sent separately, both after a failure and at the same time.
  @Test func requestsWithOtherMethodsAreNotShared() async throws {
    let failing = Exchange(Fixtures.photo, ["status": "404"])
    for _ in 0..<2 { await #expect(throws: WebP.LoadError.self) { try await loader.image(for: order(failing)) } }
    #expect(try await failing.log().count == 2)
    let held = Exchange(Fixtures.photo, ["hold": "-1"])
    let streams = (0..<2).map { _ in loader.updates(for: order(held)) }
    _ = try await held.wait { $0.count == 2 }
    try await held.release()
    for stream in streams { for try await _ in stream {} }
  }
}

/// Responds with an image, and with the status that is currently set for the URL.
private final class AnsweringProtocol: URLProtocol {
  static let host = "answered"
  static let statuses = Locked([URL: Int]())

  override class func canInit(with request: URLRequest) -> Bool { request.url?.host == host }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    guard let url = request.url, let picture = try? Fixtures.bytes(Fixtures.photo) else { return }
    let response = Fixtures.response(Self.statuses.withLock { $0[url] } ?? 200, from: url)
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: picture)
    client?.urlProtocolDidFinishLoading(self)
  }

  override func stopLoading() {}
}
