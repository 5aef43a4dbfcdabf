import Foundation
import PureWebP
import Testing
import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What `HTMLInliner` loads by itself.
@Suite struct PageContentsTests {
  private let picture = "encoder-cwebp-q75.webp"

  /// Strangers' pages are not loaded in the app's name.
  @Test func cookiesAndCredentialsStayAtHome() async throws {
    let cookie = UUID().uuidString
    let exchange = Exchange(picture, ["header": "Set-Cookie:stranger\(cookie)=1; Path=/; Max-Age=60"])
    let mine = try #require(
      HTTPCookie(properties: [.name: "mine\(cookie)", .value: "1", .domain: "127.0.0.1", .path: "/"]))
    let storage = HTTPCookieStorage.shared
    storage.setCookie(mine)
    defer { storage.deleteCookie(mine) }
    let page = Data("<img src='\(exchange.url)'><img src='\(exchange.url)&again'>".utf8)
    let result = await WebP.HTMLInliner().inline(page, at: exchange.url)
    #expect(result.inlined.count == 2)
    let requests = try await exchange.log()
    #expect(requests.count == 2 && requests.allSatisfy { $0.headers["cookie"] == nil })
    #expect(storage.cookies?.contains { $0.name == "stranger\(cookie)" } == false)
  }

  @Test(arguments: [(404, URLError.fileDoesNotExist), (403, .noPermissionsToReadFile), (500, .badServerResponse)])
  func statusesAreTold(status: Int, code: URLError.Code) async throws {
    let url = Exchange(picture, ["status": "\(status)"]).url
    let error = await #expect(throws: URLError.self) { try await WebP.HTMLInliner.contents(of: url) }
    #expect(error?.code == code && error?.localizedDescription.contains("\(status)") == true)
    #expect(error?.failingURL == url)
  }
}
