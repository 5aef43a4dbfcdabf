import Foundation
import PureWebP
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite struct LoadingTests {
  let session = URLSession(configuration: .ephemeral.withWebP())

  @Test func asyncGetsThePNG() async throws {
    let exchange = Exchange("encoder-cwebp-q75.webp")
    let (png, response) = try await session.data(from: exchange.url)
    let http = try #require(response as? HTTPURLResponse)
    #expect(try PNGReader(png).reference == Fixtures.references["encoder-cwebp-q75.webp"])
    #expect(http.statusCode == 200)
    #expect(http.value(forHTTPHeaderField: "Content-Type") == "image/png")
    #expect(http.value(forHTTPHeaderField: "Content-Length") == "\(png.count)")
    #expect(http.value(forHTTPHeaderField: "X-STWebP") == "YES")
    #expect(http.url == exchange.url)
    let requests = try await exchange.log()
    #expect(requests.count == 1)
    #expect(requests.first?.headers["accept"] == "image/webp,image/*;q=0.8")
  }
}
