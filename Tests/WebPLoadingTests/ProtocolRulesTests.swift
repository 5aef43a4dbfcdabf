import Foundation
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that the URL protocol claims and converts the documented requests and responses.
/// Expected values: requests and headers that are written in the tests, without a server.
@Suite struct ProtocolRulesTests {
  typealias Options = WebPURLProtocol.Options

  @Test(
    arguments: [
      ("http://a/b.webp", "GET", true), ("HTTPS://a/b.WEBP?c", "post", true), ("http://a/b", "GET", false),
      ("http://a/b?c.webp", "GET", false), ("ftp://a/b.webp", "GET", false), ("http://a/b.webp", "HEAD", false),
      ("http://a/b.webp", "PUT", false), ("stwebp-http://a/b", "GET", true), ("STWebP-https://a/b", "GET", true),
      ("stwebp-https://a/b", "HEAD", true), ("stwebp-ftp://a/b.webp", "GET", false),
    ])
  func requestsAreClaimedBySchemeMethodAndPath(text: String, method: String, isClaimed: Bool) throws {
    var request = URLRequest(url: try #require(URL(string: text)))
    request.httpMethod = method
    var options = Options()
    #expect(options.claims(request) == isClaimed)
    options.claimsWebPPaths = false
    #expect(options.claims(request) == (isClaimed && text.lowercased().hasPrefix("stwebp")))
  }

  @Test(
    arguments: [
      ("http://a/b.webp", nil, "image/webp,image/*;q=0.8"), ("http://a/b.WEBP", "*/*", "image/webp,image/*;q=0.8"),
      ("http://a/b.webp", "image/webp,text/html", "image/webp,text/html"),
      ("stwebp-http://a/b", nil, "image/webp,image/*;q=0.8"), ("http://a/b", nil, "image/webp,*/*;q=0.8"),
      ("http://a/b", "text/html", "text/html"),
    ] as [(String, String?, String)])
  func acceptHeadersRequestWebP(text: String, own: String?, accept: String) throws {
    var request = URLRequest(url: try #require(URL(string: text)))
    request.setValue(own, forHTTPHeaderField: "Accept")
    #expect(request.serverRequest.value(forHTTPHeaderField: "Accept") == accept)
  }

  @Test func unreadableBodiesAreReported() throws {
    var request = URLRequest(url: try #require(URL(string: "http://a/b")))
    request.httpBodyStream = InputStream(url: TemporaryFolder.place())
    #expect { try request.readBody() } throws: { ($0 as? URLError)?.code == .requestBodyStreamExhausted }
  }

  /// Headers of the WebP that describe its bytes are removed. A strong ETag would allow range requests.
  @Test(arguments: [(70, "\"one\""), (nil, "W/\"one\"")]) func headersDescribeThePNG(length: Int?, tag: String) throws {
    let outdated = [
      "accept-ranges", "content-disposition", "content-encoding", "content-length", "content-md5", "content-type",
      "digest", "repr-digest", "content-digest", "transfer-encoding", "x-stwebp",
    ]
    var headers = ["etag": tag]
    for name in outdated { headers[name] = "outdated" }
    let response = try #require(HTTPURLResponse(png: headers, url: URL(string: "http://a/b"), length: length))
    let actual = Dictionary(grouping: response.headers) { $0.key.lowercased() }.mapValues { $0.map(\.value) }
    let expected = [
      "content-length": length.map { ["\($0)"] }, "content-type": ["image/png"], "etag": ["W/\"one\""],
      "x-stwebp": ["YES"],
    ]
    #expect(actual == expected.compactMapValues { $0 })
  }
}
