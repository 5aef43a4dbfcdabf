import Foundation
import PureWebP
import TestComparison
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that the URL protocol stores images that are not WebP unchanged.
/// Expected values: the responses of a server on the loopback interface.
@Suite(.gated, .needs("python3")) struct OtherImageCachingTests {
  private let cache = WebP.ImageCache(folder: nil)

  private func session(_ change: (inout WebPURLProtocol.Options) -> Void = { _ in }) -> URLSession {
    var options = WebPURLProtocol.Options(cache: cache, cachesOtherImages: true)
    change(&options)
    return URLSession(configuration: .patient.withWebP(options))
  }

  private func exchange(_ name: String, _ type: String, _ query: [String: String] = [:]) -> Exchange {
    let fixed = ["text": "the bytes of an image", "type": type, "header": "Cache-Control:max-age=600"]
    return Exchange(name, query.merging(fixed) { first, _ in first })
  }

  @Test(arguments: [("a.jpg", "image/jpeg"), ("a.JPEG", "image/jpeg"), ("a.png", "image/png"), ("a.gif", "image/gif")])
  func imagesAreStoredUnchanged(name: String, type: String) async throws {
    let (session, exchange) = (session(), exchange(name, type, ["gzip": "1"]))
    for isOffline in [false, false, true] {
      cache.isOffline = isOffline
      let (data, response) = try await session.data(from: exchange.url)
      let http = try #require(response as? HTTPURLResponse)
      #expect(data == Data("the bytes of an image".utf8))
      #expect(http.value(forHTTPHeaderField: "Content-Type") == type)
      #expect(http.value(forHTTPHeaderField: "X-STWebP") == nil)
    }
    #expect(try await exchange.log().count == 1)
    #expect(cache.png(for: exchange.url) == nil)
  }

  @Test func otherBodiesAreNotStored() async throws {
    for (exchange, maximumBytes) in [
      (exchange("a.jpg", "text/html"), 1000), (exchange("a.jpg", "image/jpeg", ["status": "404"]), 1000),
      (exchange("a.jpg", "image/jpeg"), 20),
      (exchange("a.jpg", "image/jpeg", ["header": "Cache-Control:no-store"]), 1000),
    ] {
      let session = session { $0.conversion.limits.maximumBytes = maximumBytes }
      for _ in 0..<2 { #expect(try await session.data(from: exchange.url).0 == Data("the bytes of an image".utf8)) }
      #expect(try await exchange.log().count == 2)
    }
  }

  @Test func otherImagesAreClaimedOnlyWithTheOption() throws {
    let request = URLRequest(url: try #require(URL(string: "https://a/b.jpg")))
    var options = WebPURLProtocol.Options()
    #expect(!options.claims(request))
    options.cachesOtherImages = true
    #expect(!options.claims(request))
    options.cache = cache
    #expect(options.claims(request))
    #expect(!options.claims(URLRequest(url: try #require(URL(string: "https://a/b.css")))))
  }
}
