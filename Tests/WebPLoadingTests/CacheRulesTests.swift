import Foundation
import PureWebP
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What requests have to do with what is kept and answered.
@Suite struct CacheRulesTests {
  private static let picture = "encoder-cwebp-q75.webp"

  private let cache = WebP.ImageCache(folder: nil)

  private func exchange(_ headers: String...) -> Exchange {
    let id = Exchange("").id
    let query = [("id", id), ("as", Self.picture), ("type", "image/webp")] + headers.map { ("header", $0) }
    return Exchange(id: id, url: Exchange.url("negotiated", query))
  }

  private func load(
    _ exchange: Exchange, _ headers: [String: String] = [:], method: String = "GET"
  ) async throws {
    var options = WebPURLProtocol.Options()
    options.cache = cache
    options.claimsEveryURL = true
    var request = URLRequest(url: exchange.url)
    request.httpMethod = method
    request.allHTTPHeaderFields = headers
    let (png, _) = try await URLSession(configuration: .patient.withWebP(options)).data(for: request)
    #expect(try PNGReader(png).reference == Fixtures.references[Self.picture])
  }

  @Test func requestsMayForbidKeeping() async throws {
    let exchange = exchange("Cache-Control:max-age=600")
    try await load(exchange, ["Cache-Control": "no-store"])
    #expect(cache.memoryBytes == 0)
    try await load(exchange)
    try await load(exchange, ["Cache-Control": "no-store"])
    #expect(try await exchange.log().count == 3)
  }

  @Test(arguments: ["no-cache", "max-age=0"]) func requestsMayWantTheServer(control: String) async throws {
    let exchange = exchange("Cache-Control:max-age=600", "ETag:one")
    try await load(exchange)
    try await load(exchange, ["Cache-Control": control])
    let requests = try await exchange.log()
    #expect(requests.map { $0.headers["if-none-match"] } == [nil, "one"])
    #expect(requests.last?.sent == 0)
    var request = URLRequest(url: exchange.url, cachePolicy: .returnCacheDataElseLoad)
    request.setValue(control, forHTTPHeaderField: "Cache-Control")
    guard case .fresh = cache.answer(to: request, form: .png) else {
      Issue.record("the request's policy comes first")
      return
    }
  }

  @Test func nothingIsAskedForOffline() async throws {
    cache.isOffline = true
    let exchange = exchange()
    for method in ["GET", "POST"] {
      await #expect { try await load(exchange, method: method) } throws: {
        ($0 as? URLError)?.code == .notConnectedToInternet
      }
    }
    #expect(try await exchange.log().isEmpty)
  }
}
