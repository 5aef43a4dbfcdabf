import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that requests and responses determine what is stored and what is answered from the cache.
/// Expected values: the rules of RFC 9111, written as tables in the tests.
@Suite(.gated, .needs("python3")) struct CacheRulesTests {
  private let cache = WebP.ImageCache(folder: nil)

  private func exchange(_ headers: String...) -> Exchange {
    let id = Exchange("").id
    let query = [("id", id), ("as", Fixtures.photo), ("type", "image/webp")] + headers.map { ("header", $0) }
    return Exchange(id: id, url: Exchange.url("negotiated", query))
  }

  private func load(
    _ exchange: Exchange, _ headers: [String: String] = [:], method: String = "GET", added: [String: String] = [:]
  ) async throws {
    let options = WebPURLProtocol.Options(claimsEveryURL: true, cache: cache, cachePartition: "tests")
    let configuration = URLSessionConfiguration.patient
    configuration.httpAdditionalHeaders = added
    var request = URLRequest(url: exchange.url)
    request.httpMethod = method
    request.allHTTPHeaderFields = headers
    let (png, _) = try await URLSession(configuration: configuration.withWebP(options)).data(for: request)
    #expect(try PNGReader(png).reference == Fixtures.references[Fixtures.photo])
  }

  // MARK: Vary

  @Test(arguments: [
    ("Accept", "application/json"), ("Accept-Encoding", "identity"), ("Origin", "https://a.example"),
    ("User-Agent", "b"),
  ])
  func variantsAnswerMatchingRequestsOnly(field: String, value: String) async throws {
    let exchange = exchange("Vary:Accept, \(field)", "Cache-Control:max-age=600")
    for _ in 0..<2 { try await load(exchange) }
    #expect(try await exchange.log().count == 1)
    for _ in 0..<2 { try await load(exchange, [field: value]) }
    #expect(try await exchange.log().count == 2)
    cache.isOffline = true
    try await load(exchange, [field: value])
    await #expect { try await load(exchange) } throws: { ($0 as? URLError)?.code == .notConnectedToInternet }
  }

  /// The sent request's header selects the variant, even if the value is from the configuration of the session.
  @Test func headersOfConfigurationsSelectVariants() async throws {
    let exchange = exchange("Vary:Origin", "Cache-Control:max-age=600")
    try await load(exchange, added: ["origin": "https://a.example"])
    try await load(exchange, ["Origin": "https://a.example"])
    try await load(exchange, ["Origin": "https://a.example"], added: ["Origin": "https://b.example"])
    #expect(try await exchange.log().count == 1)
    try await load(exchange, added: ["Origin": "https://b.example"])
    #expect(try await exchange.log().map { $0.headers["origin"] } == ["https://a.example", "https://b.example"])
  }

  // MARK: Secrets

  @Test func secretsOfConfigurationsAreNotStored() async throws {
    let secret = ["Authorization": "Bearer 1"]
    let closed = exchange("Cache-Control:max-age=600")
    try await load(closed, added: secret)
    let configuration = URLSessionConfiguration.patient
    configuration.httpAdditionalHeaders = secret
    let loader = WebP.ImageLoader(configuration: configuration, cache: cache)
    for handlesCookies in [true, false] {
      _ = try await loader.image(for: closed.url, options: .init(handlesCookies: handlesCookies))
    }
    #expect(try await closed.log().map { $0.headers["authorization"] } == ["Bearer 1", "Bearer 1", "Bearer 1"])
    #expect(cache.memoryBytes == 0)
    let open = exchange("Cache-Control:public, max-age=600")
    for _ in 0..<2 { try await load(open, added: secret) }
    #expect(try await open.log().count == 1)
  }

  // MARK: Directives of requests

  @Test func requestsMayForbidStoring() async throws {
    let exchange = exchange("Cache-Control:max-age=600")
    try await load(exchange, ["Cache-Control": "no-store"])
    #expect(cache.memoryBytes == 0)
    try await load(exchange)
    try await load(exchange, ["Cache-Control": "no-store"])
    #expect(try await exchange.log().count == 3)
  }

  /// The cache does not answer conditional and range requests of the app. They are sent to the server unchanged.
  @Test(arguments: ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "Range"])
  func conditionalAndRangeRequestsAreForwarded(field: String) throws {
    var request = URLRequest(url: URL(string: "http://a/b.webp")!)
    let response = Fixtures.response(
      200, ["Cache-Control": "max-age=600", "ETag": "one", "Last-Modified": "Fri, 20 Nov 2020 10:00:00 GMT"])
    CacheAccess(cache, .converted, request, .init(nil)).keep(Data([1]), of: response)
    #expect(try state(of: cache, for: request) == .fresh)
    request.setValue("x", forHTTPHeaderField: field)
    let load = CacheAccess(cache, .converted, request, .init(nil))
    var asking = request
    #expect(try load.begin(&asking) == nil)
    #expect(asking.allHTTPHeaderFields == request.allHTTPHeaderFields)
    #expect(!load.mayKeep(response))
  }

  @Test(arguments: ["no-cache", "max-age=0"]) func requestsMayRequireValidation(control: String) async throws {
    let exchange = exchange("Cache-Control:max-age=600", "ETag:one")
    try await load(exchange)
    try await load(exchange, ["Cache-Control": control])
    let requests = try await exchange.log()
    #expect(requests.map { $0.headers["if-none-match"] } == [nil, "one"])
    #expect(requests.last?.sent == 0)
    var request = URLRequest(url: exchange.url, cachePolicy: .returnCacheDataElseLoad)
    request.setValue(control, forHTTPHeaderField: "Cache-Control")
    #expect(try state(of: cache, for: request) == .fresh, "the request's cache policy takes precedence")
  }

  /// A URL that a request may have changed is loaded again (RFC 9111, section 4.4).
  @Test func unsafeMethodsInvalidate() async throws {
    let exchange = exchange("Cache-Control:max-age=600")
    for method in ["GET", "GET", "POST", "GET"] { try await load(exchange, method: method) }
    #expect(try await exchange.log().map(\.method) == ["GET", "POST", "GET"])
    var request = URLRequest(url: exchange.url)
    request.httpMethod = "POST"
    _ = try await WebP.ImageLoader(configuration: .patient, cache: cache).image(for: request)
    #expect(cache.png(for: exchange.url) == nil)
  }

  @Test(
    arguments: [
      ("POST", 200, true), ("DELETE", 303, true), ("PURGE", 204, true), ("POST", 404, false), ("put", 500, false),
      ("GET", 200, false), ("head", 200, false), ("OPTIONS", 204, false),
    ])
  func onlySuccessfulUnsafeRequestsInvalidate(method: String, status: Int, isRemoved: Bool) throws {
    var request = URLRequest(url: URL(string: "http://a/b.webp")!)
    CacheAccess(cache, .converted, request, .init(nil)).keep(Data([1]), of: Fixtures.response(200))
    request.httpMethod = method
    let load = CacheAccess(cache, .converted, request, .init(nil))
    #expect(load.receive(Fixtures.response(status), isPrivate: false) == nil)
    #expect((cache.png(for: request.url!) == nil) == isRemoved)
  }

  /// A newer response that must not be stored still removes the stored one.
  @Test(arguments: [(200, "no-store", true), (200, "max-age=1", false), (404, "no-store", false)])
  func newerResponsesRemoveStoredOnes(status: Int, control: String, isRemoved: Bool) throws {
    let request = URLRequest(url: URL(string: "http://a/b.webp")!)
    let load = CacheAccess(cache, .converted, request, .init(nil))
    load.keep(Data([1]), of: Fixtures.response(200, ["Cache-Control": "max-age=600"]))
    let newer = Fixtures.response(status, ["Cache-Control": control])
    #expect(load.receive(newer, isPrivate: false) == nil)
    #expect((cache.png(for: request.url!) == nil) == isRemoved)
  }

  /// A newer response that is not a WebP file or is corrupt also removes the stored one. A truncated response does not.
  @Test(
    arguments: [WebP.ImageCache.Form.converted, .original],
    [
      (["as": "index.tsv", "type": "image/jpeg"], true), (["as": "index.tsv", "type": "image/webp"], true),
      (["as": "animation-and-image.webp"], true), (["as": "four-megapixels.webp"], true),
      (["as": Fixtures.photo, "cut": "500", "unframed": "1"], false),
      (["as": Fixtures.photo, "cut": "500"], false),
      (["as": "index.tsv", "status": "500"], false),
    ] as [([String: String], Bool)])
  func invalidNewerResponsesRemoveStoredOnes(form: WebP.ImageCache.Form, newer: ([String: String], isRemoved: Bool))
    async throws
  {
    let second = Exchange("newer.webp", newer.0.merging(["header": "Cache-Control:max-age=60"]) { $1 })
    let exchange = Exchange(
      Fixtures.photo, ["header": "Cache-Control:max-age=600", "later": second.url.absoluteString])
    let options = WebPURLProtocol.Options(conversion: .init(limits: .init(maximumPixels: 1 << 20)), cache: cache)
    let session = URLSession(configuration: .patient.withWebP(options))
    let loader = WebP.ImageLoader(configuration: .patient, cache: cache)
    func load(_ policy: URLRequest.CachePolicy) async throws {
      let request = URLRequest(url: exchange.url, cachePolicy: policy)
      switch form {
      case .converted: _ = try await session.data(for: request)
      case .original:
        let options = WebP.ImageLoader.Options(decoding: .init(isUpright: true, limits: .init(maximumPixels: 1 << 20)))
        _ = try await loader.image(for: request, options: options)
      }
    }
    try await load(.useProtocolCachePolicy)
    let key = WebP.ImageCache.Key(exchange.url, form, nil)
    #expect(cache.entry(key) != nil)
    try? await load(.reloadIgnoringLocalCacheData)
    #expect(try await second.log().count == 1)
    #expect((cache.entry(key) == nil) == newer.isRemoved)
  }

  /// Invalid new images remove the stored image. A canceled conversion does not, because the new image may be valid.
  @Test(arguments: [("animation-full-frames.webp", false), ("animation-and-image.webp", true)])
  func canceledConversionsKeepTheStoredImage(name: String, isCausedByImage: Bool) throws {
    let converter = WebP.PNGConverter(options: .init())
    converter.check = { _ in throw CancellationError() }
    #expect {
      _ = try converter.append(Fixtures.bytes(name))
      _ = try converter.finish()
    } throws: {
      ($0 as? WebP.ConversionError)?.isCausedByImage == isCausedByImage
    }
  }

  /// If a transform fails, the response is stored anyway, because it is valid.
  @Test func newerImagesAreStoredBeforeTheyAreTransformed() async throws {
    let second = Exchange("encoder-pillow-lossless.webp")
    let exchange = Exchange(
      Fixtures.photo, ["header": "Cache-Control:max-age=600", "later": second.url.absoluteString])
    let loader = WebP.ImageLoader(configuration: .patient, cache: cache)
    _ = try await loader.image(for: exchange.url)
    let options = WebP.ImageLoader.Options(transform: .init("failing") { _ in throw CocoaError(.featureUnsupported) })
    let request = URLRequest(url: exchange.url, cachePolicy: .reloadIgnoringLocalCacheData)
    await #expect(throws: CocoaError.self) { try await loader.image(for: request, options: options) }
    let kept = cache.entry(WebP.ImageCache.Key(exchange.url, .original, nil))?.body
    #expect(try kept == Fixtures.bytes("encoder-pillow-lossless.webp"))
  }

  @Test func noRequestIsSentOffline() async throws {
    cache.isOffline = true
    let exchange = exchange()
    for method in ["GET", "POST"] {
      await #expect { try await load(exchange, method: method) } throws: {
        ($0 as? URLError)?.code == .notConnectedToInternet
      }
    }
    #expect(try await exchange.log().isEmpty)
  }

  // MARK: How long responses are fresh

  /// The freshness in seconds (RFC 9111, section 4.2) of responses that arrive on 15 January 2027 at 08:00.
  @Test(
    arguments: [
      ([:], 0), (["Cache-Control": "max-age=60"], 60), (["Cache-Control": "public, Max-Age = \"60\""], 60),
      (["Cache-Control": "max-age=60", "Age": "20"], 40), (["Cache-Control": "max-age=-60"], 0),
      (["Cache-Control": "max-age=60", "Expires": "Fri, 15 Jan 2027 09:00:00 GMT"], 60),
      (["Cache-Control": "max-age=60, no-cache"], 0),
      (["Expires": "Fri, 15 Jan 2027 09:00:00 GMT"], 3600),
      (["Expires": "Fri, 20 Nov 2020 11:00:00 GMT", "Date": "Fri, 20 Nov 2020 10:00:00 GMT", "Age": "60"], 3540),
      (["Expires": "0", "Last-Modified": "Fri, 15 Jan 2027 07:00:00 GMT"], 0),
      (["Last-Modified": "Fri, 15 Jan 2027 07:00:00 GMT"], 360),
      (["Last-Modified": "Fri, 15 Jan 2027 09:00:00 GMT"], 0),
      (["Last-Modified": "Fri, 20 Nov 2020 00:00:00 GMT", "Date": "Fri, 20 Nov 2020 10:00:00 GMT", "Age": "60"], 3540),
      (["Last-Modified": "Fri, 20 Nov 2015 00:00:00 GMT", "Age": "60"], 86_340),
      // Values that are not numbers, that are too large, and that occur twice.
      (["Cache-Control": "max-age=60", "Age": "nan"], 60), (["Cache-Control": "max-age=60", "Age": "-20"], 60),
      (["Cache-Control": "max-age=1e3", "Expires": "Fri, 15 Jan 2027 09:00:00 GMT"], 0),
      (["Cache-Control": "max-age="], 0), (["Cache-Control": "max-age=60, max-age=90"], 60),
      (["Cache-Control": "max-age=99999999999999999999"], 2_147_483_648),
      // Obsolete date formats.
      (["Expires": "Friday, 15-Jan-27 09:00:00 GMT"], 3600), (["Expires": "Fri Jan 15 09:00:00 2027"], 3600),
      (["Expires": "Sun Nov  6 08:49:37 1994", "Date": "Sunday, 06-Nov-94 08:49:00 GMT"], 37),
    ] as [([String: String], Double)])
  func headersDetermineTheFreshness(fields: [String: String], seconds: Double) throws {
    #expect(Fixtures.freshness(fields) == seconds)
  }

  /// The default lifetime applies only if the server specifies none. 40 hours before are 4 hours of the heuristic.
  @Test(
    arguments: [
      ([:], 7200), (["Age": "60"], 7200), (["Cache-Control": "max-age=60"], 60), (["Cache-Control": "no-cache"], 0),
      (["Expires": "Fri, 15 Jan 2027 09:00:00 GMT"], 3600), (["Expires": "0"], 0),
      (["Last-Modified": "Fri, 15 Jan 2027 07:00:00 GMT"], 7200),
      (["Last-Modified": "Wed, 13 Jan 2027 16:00:00 GMT"], 14_400),
    ] as [([String: String], Double)])
  func theDefaultLifetimeReplacesMissingHeaders(fields: [String: String], seconds: Double) throws {
    #expect(Fixtures.freshness(fields, defaultLifetime: 7200) == seconds)
  }

  /// A server without `Cache-Control` is asked each time, or once within the default lifetime.
  @Test(arguments: [(0, 3), (600, 1)]) func theDefaultLifetimeSavesRequests(seconds: Double, requests: Int) async throws
  {
    let cache = WebP.ImageCache(folder: nil, defaultLifetime: seconds)
    let exchange = Exchange(Fixtures.photo)
    for _ in 0..<3 {
      _ = try await WebP.ImageLoader(configuration: .patient, cache: cache).image(for: exchange.url)
    }
    #expect(try await exchange.log().count == requests)
  }

  // MARK: Responses with status 304

  /// If the request was not conditional, a 304 response has no effect on the stored response.
  @Test func unrequested304ResponsesAreIgnored() throws {
    let request = URLRequest(url: URL(string: "http://a/b.webp")!)
    let load = CacheAccess(cache, .converted, request, .init(nil))
    var asking = request
    load.keep(Data([1]), of: Fixtures.response(200))
    #expect(try load.begin(&asking) == nil)
    #expect(load.receive(Fixtures.response(304), isPrivate: false) == nil)
  }

  /// The headers of a 304 response replace headers of the stored response. The resulting headers determine whether the
  /// stored response is fresh (RFC 9111, section 4.3.4).
  @Test(
    arguments: [
      (["Cache-Control": "no-cache"], ["Last-Modified": "Fri, 20 Nov 2020 10:00:00 GMT"], .stale),
      (["Cache-Control": "no-cache"], ["Cache-Control": "max-age=600"], .fresh),
      (["Cache-Control": "max-age=600", "Age": "600"], [:], .fresh),
      (["Cache-Control": "max-age=600", "Age": "600"], ["Age": "600"], .stale),
      (["Cache-Control": "max-age=600", "Age": "600"], ["cache-control": "no-cache"], .stale),
      (
        ["Expires": "Fri, 20 Nov 2020 11:00:00 GMT", "Date": "Fri, 20 Nov 2020 10:00:00 GMT", "Age": "3600"], [:],
        .stale
      ),
      (["Cache-Control": "no-cache"], ["Cache-Control": "no-store, max-age=600"], .gone),
      (["Cache-Control": "no-cache"], ["Cache-Control": "max-age=600", "Vary": "*"], .gone),
    ] as [([String: String], [String: String], State)])
  func storedResponsesAreUpdated(before: [String: String], said: [String: String], after: State) throws {
    let request = URLRequest(url: URL(string: "http://a/b.webp")!)
    func response(_ status: Int, _ fields: [String: String]) -> HTTPURLResponse {
      Fixtures.response(status, fields.merging(["ETag": "one"]) { $1 })
    }
    let folder = TemporaryFolder.place()
    let cache = WebP.ImageCache(folder: folder)
    let load = CacheAccess(cache, .converted, request, .init(nil))
    load.keep(Data([1, 2]), of: response(200, before))
    var asking = request
    #expect(try load.begin(&asking) == nil)
    #expect(load.receive(response(304, said), isPrivate: false)?.body == Data([1, 2]))
    cache.finishWriting()
    for cache in [cache, WebP.ImageCache(folder: folder)] {
      #expect(try state(of: cache, for: request) == after)
    }
  }

  enum State { case fresh, stale, gone }

  /// The cache's decision for a request at this moment.
  private func state(of cache: WebP.ImageCache, for request: URLRequest) throws -> State {
    let load = CacheAccess(cache, .converted, request, .init(nil))
    var asking = request
    if try load.begin(&asking) != nil { return .fresh }
    return asking.value(forHTTPHeaderField: "If-None-Match") == nil ? .gone : .stale
  }
}
