import Foundation
import LoadingTestSupport
import PureWebP
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that redirects, cookies, timeouts and heads follow the same rules for every transport.
/// Expected values: RFC 9110, section 15.4, and the documentation of `URLSessionConfiguration`, written as tables.
@Suite struct RequestRulesTests {
  private let url = URL(string: "http://a/b.webp")!
  private let picture = try! Fixtures.bytes(Fixtures.photo)

  private func loader(_ transport: ScriptedTransport, _ configuration: URLSessionConfiguration = .patient)
    -> WebP.ImageLoader
  {
    WebP.ImageLoader(configuration: configuration, transport: transport)
  }

  // MARK: Redirects

  /// The method and the number of bytes of the request that follows a redirect of a request with five bytes.
  @Test(
    arguments: [
      (301, "GET", "GET", 5), (301, "POST", "GET", 0), (301, "PUT", "PUT", 5), (301, "DELETE", "DELETE", 5),
      (302, "GET", "GET", 5), (302, "POST", "GET", 0), (302, "PUT", "PUT", 5), (302, "DELETE", "DELETE", 5),
      (303, "GET", "GET", 0), (303, "POST", "GET", 0), (303, "PUT", "GET", 0), (303, "DELETE", "GET", 0),
      (307, "GET", "GET", 5), (307, "POST", "POST", 5), (307, "PUT", "PUT", 5), (307, "DELETE", "DELETE", 5),
      (308, "GET", "GET", 5), (308, "POST", "POST", 5), (308, "PUT", "PUT", 5), (308, "DELETE", "DELETE", 5),
      (301, "HEAD", "HEAD", 5), (302, "HEAD", "HEAD", 5), (303, "HEAD", "HEAD", 5), (307, "HEAD", "HEAD", 5),
      (308, "HEAD", "HEAD", 5), (303, "post", "GET", 0), (301, "post", "GET", 0),
    ] as [(Int, String, String, Int)])
  func redirectsDetermineMethodAndBody(status: Int, method: String, next: String, bytes: Int) async throws {
    let picture = picture
    let transport = ScriptedTransport { request in
      request.url?.path == "/c" ? [.head(200), .piece(picture)] : [.head(status, ["Location": "/c"])]
    }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.httpBody = Data("hello".utf8)
    for field in ["Content-Type", "Content-Length", "X-Color"] { request.setValue("5", forHTTPHeaderField: field) }
    _ = try await loader(transport).data(for: request)
    let last = try #require(transport.requests.last)
    #expect(transport.requests.count == 2 && last.httpMethod == next && (last.httpBody?.count ?? 0) == bytes)
    #expect(last.value(forHTTPHeaderField: "Content-Type") == (bytes == 0 ? nil : "5"))
    #expect(last.value(forHTTPHeaderField: "Content-Length") == (bytes == 0 ? nil : "5"))
    #expect(last.value(forHTTPHeaderField: "X-Color") == "5")
  }

  // MARK: Cookies

  /// A cookie of http://a/ is stored and sent again, or not.
  @Test(
    arguments: [
      (.always, nil, true), (.always, "http://other/", true), (.never, nil, false), (.never, "http://a/", false),
      (.onlyFromMainDocumentDomain, "http://a/page", true), (.onlyFromMainDocumentDomain, "http://other/", false),
      (.onlyFromMainDocumentDomain, nil, true),
    ] as [(HTTPCookie.AcceptPolicy, String?, Bool)])
  func policiesDetermineWhichCookiesAreStored(policy: HTTPCookie.AcceptPolicy, main: String?, isStored: Bool)
    async throws
  {
    let configuration = URLSessionConfiguration.patient
    configuration.httpCookieAcceptPolicy = policy
    let transport = ScriptedTransport(.head(200, ["Set-Cookie": "x=y"]), .piece(picture))
    let loader = loader(transport, configuration)
    var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
    request.mainDocumentURL = main.flatMap { URL(string: $0) }
    for _ in 0..<2 { _ = try await loader.data(for: request) }
    let cookies = transport.requests.map { $0.value(forHTTPHeaderField: "Cookie") }
    #expect(cookies == [nil, isStored ? "x=y" : nil])
  }

  // MARK: Timeouts

  /// The server sends enough bytes in each interval. The resource nevertheless ends with its timeout, while the load
  /// waits for the head or for the body.
  @Test(arguments: [true, false]) func resourcesTimeOut(hasHead: Bool) async throws {
    let (clock, gate) = (ManualClock(), Gate())
    let configuration = URLSessionConfiguration.patient
    configuration.timeoutIntervalForRequest = 60
    configuration.timeoutIntervalForResource = 100
    let steps: [Step] = hasHead ? [.head(200), .piece(Data(count: 5)), .wait(gate)] : [.wait(gate), .head(200)]
    let upstream = Upstream(
      configuration, transport: ScriptedTransport { _ in steps }, keepsURLCache: false, clock: clock.clock)
    let load = Task {
      let transfer = try await upstream.send(URLRequest(url: URL(string: "http://a/")!), BodyRules(maximumBytes: 1000))
      while try await transfer.next() != nil {}
    }
    await gate.arrival()
    // 5 bytes in 59 seconds are enough.
    clock.advance(59)
    clock.advance(41)
    let error = await #expect(throws: URLError.self) { try await load.value }
    #expect(error?.code == .timedOut)
    #expect(error?.localizedDescription == "the transfer exceeds timeoutIntervalForResource")
  }

  // MARK: Heads

  /// 203 means that a proxy has changed the file.
  @Test func changedFilesAreImages() async throws {
    let transport = ScriptedTransport(.head(203, ["Cache-Control": "max-age=600"]), .piece(picture))
    let cache = WebP.ImageCache(folder: nil)
    let loader = WebP.ImageLoader(configuration: .patient, cache: cache, transport: transport)
    let loaded = try await loader.image(for: url)
    #expect(Fixtures.Reference(loaded.image) == Fixtures.references[Fixtures.photo])
    loader.removeDecodedImages()
    #expect(try await loader.image(for: url).source == .cache)
    let options = WebPURLProtocol.Options(cache: cache)
    for _ in 0..<2 {
      let session = URLSession(configuration: .patient.withWebP(options, transport: transport))
      let (png, response) = try await session.data(from: url)
      #expect(response.mimeType == "image/png" && png.starts(with: [0x89, 0x50]))
    }
    #expect(transport.requests.count == 2)
  }

  /// A head of any length costs linear time: a longer one than 256 KiB is refused, a shorter one has few bytes.
  @Test(arguments: [
    (100_000, 10, false), (1, 10 << 20, false), (1, 1000, true), (5000, 20, true), (1, 256 << 10, false),
  ]) func longHeadsAreErrors(fieldCount: Int, valueBytes: Int, isAccepted: Bool) async throws {
    let value = String(count: valueBytes, of: ",")
    for names in [
      ["Vary"], ["Set-Cookie"], ["Connection"], ["Cache-Control"], ["Age"], ["ETag"], ["X-A", "X-B", "X-C"],
    ] {
      let fields = (0..<fieldCount).map { (names[$0 % names.count], value) }
      let transport = ScriptedTransport(.fields(200, fields), .piece(picture))
      let error = await failure { _ = try await loader(transport).data(for: url) }
      #expect(error?.localizedDescription.contains("262144 bytes") ?? isAccepted)
    }
  }

  @Test(arguments: [-1, 0, 99, 199, 1000, .max, .min]) func otherStatusesAreErrors(status: Int) async throws {
    let error = await #expect(throws: WebP.LoadError.self) {
      try await loader(ScriptedTransport(.head(status), .piece(picture))).data(for: url)
    }
    #expect(error?.localizedDescription == "invalid status \(status)")
  }

  @Test func emptyPiecesAreErrors() async throws {
    let pieces = [Step](repeating: .piece(Data()), count: 1000)
    let transport = ScriptedTransport { _ in [.head(200)] + pieces }
    let error = await #expect(throws: WebP.LoadError.self) { try await loader(transport).data(for: url) }
    #expect(error?.underlyingError.code == .badServerResponse && transport.pulledPieces < 10)
  }
}

/// Returns the error of a load. Nil if it succeeds.
func failure(_ load: () async throws -> Void) async -> URLError? {
  do { try await load() } catch { return (error as? WebP.LoadError)?.underlyingError ?? URLError(.unknown) }
  return nil
}
