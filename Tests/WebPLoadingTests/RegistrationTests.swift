import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that `register` and `withWebP` make sessions load WebP. Registration is global, so tests run one at a time.
/// Expected values: the responses of a server on the loopback interface.
@Suite(.gated, .serialized, .needs("python3")) struct RegistrationTests {
  private func loads(_ exchange: Exchange) async -> Bool {
    guard let png = try? await URLSession.shared.data(from: exchange.url).0 else { return false }
    return (try? PNGReader(png))?.reference == Fixtures.references[Fixtures.photo]
  }

  @Test func registrationsAreCounted() async throws {
    let other = WebPURLProtocol.Options(claimsWebPPaths: false)
    // No other protocol supports this scheme. On Linux, the shared session asks no other protocol for http.
    let exchange = Exchange(Fixtures.photo, scheme: "stwebp-http")
    #expect(await !loads(exchange))
    WebPURLProtocol.register()
    WebPURLProtocol.register()
    #expect(await loads(exchange))
    WebPURLProtocol.unregister()
    #expect(await loads(exchange))
    WebPURLProtocol.unregister()
    #expect(await !loads(exchange))
    WebPURLProtocol.unregister()
    WebPURLProtocol.register(other)
    #expect(await loads(exchange))
    WebPURLProtocol.unregister()
    #expect(await loads(exchange))
    WebPURLProtocol.unregister(other)
    #expect(await !loads(exchange))
    #expect(try await exchange.log().count == 4)
  }

  /// A session that was created while a class was registered uses the class after it was unregistered, too. The class
  /// must then reject all requests.
  @Test func unregisteredClassesClaimNothing() async throws {
    let options = WebPURLProtocol.Options(conversion: .init(compression: .level(7)))
    WebPURLProtocol.register(options)
    // The test gets the class from the registry. URLSession.shared could not be used, because it ignores classes that
    // are registered after its first use.
    let registered = try #require(Registry.shared.state.withLock { $0.global[options]?.class })
    let request = URLRequest(url: try #require(URL(string: "stwebp-http://a/b.webp")))
    #expect(registered.canInit(with: request))
    WebPURLProtocol.unregister(options)
    #expect(!registered.canInit(with: request))
    WebPURLProtocol.register(options)
    #expect(registered.canInit(with: request))
    WebPURLProtocol.unregister(options)
  }

  @Test func ownRequestsAreNotClaimed() async throws {
    WebPURLProtocol.register()
    defer { WebPURLProtocol.unregister() }
    for classes in [nil, [], [WebPURLProtocol.self]] as [[AnyClass]?] {
      let configuration = URLSessionConfiguration.patient
      configuration.protocolClasses = classes
      let exchange = Exchange(Fixtures.photo)
      let (png, _) = try await URLSession(configuration: configuration.withWebP()).data(from: exchange.url)
      #expect(try PNGReader(png).reference == Fixtures.references[Fixtures.photo])
      #expect(try await exchange.log().count == 1)
    }
  }

  @Test func configurationsAreNotChanged() {
    let configuration = URLSessionConfiguration.patient
    let before = configuration.protocolClasses?.count
    let changed = configuration.withWebP().withWebP()
    #expect(configuration.protocolClasses?.count == before)
    #expect(changed.protocolClasses?.count == (before ?? 0) + 1)
    #expect(changed.protocolClasses?.first is WebPURLProtocol.Type)
  }

  /// Each configuration has its own class with its own options. The generic types of these classes must not nest deeper
  /// with each configuration.
  @Test func classesStaySmall() throws {
    var names: Set<String> = []
    for _ in 0..<500 {
      let added: AnyClass = try #require(URLSessionConfiguration.patient.withWebP().protocolClasses?.first)
      names.insert(String(reflecting: added))
    }
    #expect(names.count == 500)
    #expect(names.allSatisfy { $0.filter { $0 == "<" }.count < 20 })
  }

  @Test func classesKnowTheirOptions() throws {
    let every = WebPURLProtocol.Options(claimsEveryURL: true)
    let request = URLRequest(url: try #require(URL(string: "http://a/picture")))
    for index in 0..<20 {
      let configuration = URLSessionConfiguration.patient.withWebP(index % 3 == 0 ? every : .init())
      let added = try #require(configuration.protocolClasses?.first as? WebPURLProtocol.Type)
      #expect(added.canInit(with: request) == (index % 3 == 0))
    }
  }
}
