import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that the URL protocol delivers PNGs by all methods of URLSession.
/// Expected values: the responses of a server on the loopback interface.
@Suite(.gated, .needs("python3")) struct LoadingTests {
  static let reference = Fixtures.references[Fixtures.photo]

  let session = URLSession(configuration: .patient.withWebP())

  /// Loads asynchronously and with a delegate, which use different code on Linux, and expects the same results.
  private func expectPNG(
    _ exchange: Exchange, of name: String = Fixtures.photo, sourceLocation: SourceLocation = #_sourceLocation
  )
    async throws
  {
    let (png, response) = try await session.data(from: exchange.url)
    let http = try #require(response as? HTTPURLResponse)
    let record = await URLSession.record(URLRequest(url: exchange.url))
    for (png, http) in try [(png, http), (record.body, #require(record.response))] {
      #expect(try PNGReader(png).reference == Fixtures.references[name], sourceLocation: sourceLocation)
      #expect(http.statusCode == 200, sourceLocation: sourceLocation)
      #expect(http.value(forHTTPHeaderField: "Content-Type") == "image/png", sourceLocation: sourceLocation)
      #expect(http.value(forHTTPHeaderField: "X-STWebP") == "YES", sourceLocation: sourceLocation)
      let length = http.value(forHTTPHeaderField: "Content-Length")
      #expect(length == nil || length == "\(png.count)", sourceLocation: sourceLocation)
      #expect(http.value(forHTTPHeaderField: "Content-Encoding") == nil, sourceLocation: sourceLocation)
    }
    #expect(record.error == nil, sourceLocation: sourceLocation)
  }

  private func expectUntouched(_ exchange: Exchange, status: Int = 200, type: String, body: Data) async throws {
    let (data, response) = try await session.data(from: exchange.url)
    let record = await URLSession.record(URLRequest(url: exchange.url))
    for (data, response) in [(data, response as? HTTPURLResponse), (record.body, record.response)] {
      let http = try #require(response)
      #expect(data == body)
      #expect(http.statusCode == status)
      #expect(http.value(forHTTPHeaderField: "Content-Type") == type)
      #expect(http.value(forHTTPHeaderField: "X-STWebP") == nil)
    }
  }

  // MARK: What is converted

  @Test func pngReplacesWebP() async throws {
    let exchange = Exchange(Fixtures.photo)
    try await expectPNG(exchange)
    let requests = try await exchange.log()
    #expect(requests.count == 2)
    #expect(requests.allSatisfy { $0.headers["accept"] == "image/webp,image/*;q=0.8" })
  }

  @Test func completionHandlersGetTheCompletePNG() async throws {
    let exchange = Exchange(Fixtures.photo, ["chunked": "1", "piece": "100"])
    let png: Data = try await withCheckedThrowingContinuation { continuation in
      session.dataTask(with: exchange.url) { data, _, error in
        if let data { continuation.resume(returning: data) } else { continuation.resume(throwing: error!) }
      }.resume()
    }
    #expect(try PNGReader(png).reference == Self.reference)
  }

  @Test(arguments: [
    ["chunked": "1"], ["chunked": "1", "piece": "1"], ["piece": "40", "delay": "0.002"], ["gzip": "1"],
    ["gzip": "1", "chunked": "1", "piece": "10"], ["type": ""], ["type": "application/octet-stream"],
    ["type": "image/jpeg"], ["type": "image/x-webp"], ["type": "text/plain", "piece": "1"], ["type": "image/png"],
    ["type": "binary/octet-stream"], ["type": "Image/WebP ; q=1"],
  ])
  func bodiesAreConvertedForEveryEncodingAndType(query: [String: String]) async throws {
    try await expectPNG(Exchange(Fixtures.photo, query))
  }

  @Test func prefixedSchemesAreLoaded() async throws {
    let exchange = Exchange("picture", scheme: "stwebp-http", ["as": Fixtures.photo, "type": "image/webp"])
    try await expectPNG(exchange)
    let (_, response) = try await session.data(from: exchange.url)
    #expect(response.url == exchange.url)
  }

  @Test func redirectsAreFollowed() async throws {
    let target = Exchange(Fixtures.photo)
    let exchange = Exchange("moved.webp", ["to": target.url.absoluteString])
    try await expectPNG(exchange)
    let (_, response) = try await session.data(from: exchange.url)
    #expect(response.url == target.url)
    #expect(try await exchange.log().count == 3)
    #expect(try await target.log().count == 3)

    let prefixed = Exchange("moved", scheme: "stwebp-http", ["to": target.url.absoluteString])
    try await expectPNG(prefixed)
  }

  /// The target of a redirect is relative to the URL of the response (RFC 3986, section 5).
  @Test(arguments: ["/sub/", "?", "next.webp?", "../next.webp?", "//127.0.0.1:PORT/sub/"])
  func relativeRedirectsAreResolved(reference: String) async throws {
    let id = Exchange("").id
    let target = reference.replacingOccurrences(of: "PORT", with: "\(TestServer.shared.port)")
    let query = "id=\(id)&type=image/webp&as=\(Fixtures.photo)"
    let to = target + (target.hasSuffix("?") ? "" : "?") + query
    let url = Exchange.url("sub/dir/moved.webp", [("id", id), ("to", to)])
    let (png, _) = try await session.data(from: url)
    #expect(try PNGReader(png).reference == Self.reference)
    let paths = ["?": "/sub/dir/moved.webp", "next.webp?": "/sub/dir/next.webp", "../next.webp?": "/sub/next.webp"]
    #expect(try await Exchange(id: id, url: url).log().last?.target == "\(paths[reference] ?? "/sub/")?\(query)")
  }

  @Test(
    arguments: [
      ("https://a/x", "https://A:443/y", true), ("http://a/x", "HTTP://a:80/y", true),
      ("http://a:8/", "http://a:8/", true), ("https://a/x", "http://a/x", false),
      ("https://a/x", "http://a:443/x", false), ("http://a/", "http://b/", false),
      ("http://a/", "http://a:8080/", false), ("http://a/", "", false),
    ])
  func originsAreCompared(one: String, other: String, isSame: Bool) throws {
    let url = try #require(URL(string: one))
    #expect(URLRequest(url: url).hasOrigin(of: URL(string: other)) == isSame)
    guard let other = URL(string: other) else { return }
    #expect(URLRequest(url: other).hasOrigin(of: url) == isSame)
  }

  @Test func everyURLCanBeClaimed() async throws {
    let options = WebPURLProtocol.Options(claimsEveryURL: true)
    let session = URLSession(configuration: .patient.withWebP(options))
    let query = ["as": Fixtures.photo, "type": "image/webp"]
    let (png, _) = try await session.data(from: Exchange("picture", query).url)
    #expect(try PNGReader(png).reference == Self.reference)
    // With default options, only the path determines whether a URL is claimed.
    try await expectUntouched(
      Exchange("picture", query), type: "image/webp", body: Fixtures.bytes(Fixtures.photo))
  }

  // MARK: Unchanged responses

  @Test func otherStatusesAreUnchanged() async throws {
    try await expectUntouched(
      Exchange("missing.webp"), status: 404, type: "image/webp", body: Data("no such file".utf8))
    try await expectUntouched(
      Exchange(Fixtures.photo, ["status": "206"]), status: 206, type: "image/webp",
      body: Fixtures.bytes(Fixtures.photo))
    try await expectUntouched(
      Exchange(Fixtures.photo, ["status": "500", "type": "text/html"]), status: 500, type: "text/html",
      body: Fixtures.bytes(Fixtures.photo))
  }

  @Test(arguments: ["X-None:1", "WWW-Authenticate:Basic realm=\"here\""])
  func unauthorizedResponsesAreUnchanged(header: String) async throws {
    let exchange = Exchange(Fixtures.photo, ["status": "401", "type": "text/plain", "header": header])
    try await expectUntouched(exchange, status: 401, type: "text/plain", body: Fixtures.bytes(Fixtures.photo))
  }

  /// If a body is not a WebP file, it is passed on with its type.
  @Test(arguments: ["image/png", "text/html", "image/jpeg", "image/webp", "application/octet-stream"])
  func otherBodiesAreUnchanged(type: String) async throws {
    try await expectUntouched(
      Exchange("a.webp", ["as": "index.tsv", "type": type]), type: type, body: Fixtures.bytes("index.tsv"))
  }

  @Test(arguments: ["", "hello", "RIFF\u{4}\0\0\0WAVEfmt ", "RIFX\u{4}\0\0\0WEBPVP8 "])
  func bodiesWithSimilarHeadersAreUnchanged(text: String) async throws {
    try await expectUntouched(Exchange("x.webp", ["text": text]), type: "image/webp", body: Data(text.utf8))
  }

  /// These requests are forwarded, because no other protocol can load URLs with this scheme.
  @Test func otherMethodsWithPrefixedSchemesAreForwarded() async throws {
    let exchange = Exchange(Fixtures.photo, scheme: "stwebp-http")
    var request = URLRequest(url: exchange.url)
    for method in ["HEAD", "PUT"] {
      request.httpMethod = method
      let (body, response) = try await session.data(for: request)
      if method == "HEAD" {
        #expect(body.isEmpty && (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-STWebP") == nil)
      } else {
        #expect(try PNGReader(body).reference == Self.reference)
      }
    }
    #expect(try await exchange.log().map(\.method) == ["HEAD", "PUT"])
  }

  @Test func otherURLsAndMethodsAreUnchanged() async throws {
    let bytes = try Fixtures.bytes(Fixtures.photo)
    try await expectUntouched(
      Exchange("a.jpeg", ["as": Fixtures.photo, "type": "image/webp"]), type: "image/webp", body: bytes)
    var request = URLRequest(url: Exchange(Fixtures.photo).url)
    request.httpMethod = "PUT"
    let (body, _) = try await session.upload(for: request, from: Data("new".utf8))
    #expect(body == bytes)
  }

  // MARK: Forwarded requests

  /// Apple's URLSession passes a body to a protocol as a stream. Such a body is sent with its length.
  @Test(arguments: [false, true]) func requestsAreForwarded(bodyIsStream: Bool) async throws {
    let exchange = Exchange(Fixtures.photo, ["header": "Set-Cookie:server=1"])
    var request = URLRequest(url: exchange.url)
    request.httpMethod = "POST"
    let body = Data(repeating: 0x61, count: 100_000)
    if bodyIsStream { request.httpBodyStream = InputStream(data: body) } else { request.httpBody = body }
    request.setValue("blue", forHTTPHeaderField: "X-Color")
    request.setValue("image/webp;q=1,text/plain", forHTTPHeaderField: "Accept")
    let configuration = URLSessionConfiguration.patient
    configuration.httpAdditionalHeaders = ["X-App": "gallery"]
    let (png, response) = try await URLSession(configuration: configuration.withWebP()).data(for: request)
    #expect(try PNGReader(png).reference == Self.reference)
    #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Set-Cookie") == "server=1")
    let requests = try await exchange.log()
    #expect(requests.count == 1)
    let sent = try #require(requests.first)
    #expect(sent.method == "POST")
    #expect(sent.body == String(repeating: "61", count: body.count) && sent.headers["content-length"] == "100000")
    #expect(sent.headers["x-color"] == "blue")
    #expect(sent.headers["x-app"] == "gallery")
    #expect(sent.headers["accept"] == "image/webp;q=1,text/plain")
  }

  @Test func cookiesBelongToTheSession() async throws {
    let configuration = URLSessionConfiguration.patient
    let session = URLSession(configuration: configuration.withWebP())
    let crumb = "crumb=\(UUID().uuidString)"
    let exchange = Exchange(Fixtures.photo, ["header": "Set-Cookie:\(crumb)"])
    _ = try await session.data(from: exchange.url)
    _ = try await session.data(from: exchange.url)
    let requests = try await exchange.log()
    try #require(requests.count == 2)
    #expect(requests[1].headers["cookie"]?.contains(crumb) == true)
    // A redirect may set a cookie unless the session disables cookies.
    for wantsCookies in [true, false] {
      configuration.httpShouldSetCookies = wantsCookies
      let target = Exchange(Fixtures.photo)
      let sweet = "crumb=\(UUID().uuidString)"
      let moved = Exchange("moved.webp", ["to": target.url.absoluteString, "header": "Set-Cookie:\(sweet)"])
      _ = try await URLSession(configuration: configuration.withWebP()).data(from: moved.url)
      #expect(try await target.log().map { $0.headers["cookie"] } == [wantsCookies ? sweet : nil])
    }
    // Another session has another cookie storage.
    _ = try await URLSession(configuration: .patient.withWebP()).data(from: exchange.url)
    #expect(try await exchange.log().last?.headers["cookie"]?.contains(crumb) != true)
  }

  @Test func timeoutsApply() async throws {
    let exchange = Exchange(Fixtures.photo, ["hold": "-1"])
    var request = URLRequest(url: exchange.url)
    request.timeoutInterval = 1
    await #expect { try await session.data(for: request) } throws: { ($0 as? URLError)?.code == .timedOut }
  }
}
