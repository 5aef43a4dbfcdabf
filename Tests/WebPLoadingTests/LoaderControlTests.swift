import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that progress, cache keys and the release of memory work as documented.
/// Expected values: the length of the file, and the requests that a server on the loopback interface receives.
@Suite(.gated, .needs("python3")) struct LoaderControlTests {
  /// The server sends 300 bytes and waits for the first report. With `isLengthKnown`, it also sends the length.
  @Test(arguments: [true, false]) func progressCountsTheReceivedBytes(isLengthKnown: Bool) async throws {
    let count = try Fixtures.bytes(Fixtures.photo).count
    var query = ["hold": "300"]
    if !isLengthKnown { query["unframed"] = "1" }
    let exchange = Exchange(Fixtures.photo, query)
    let (reports, continuation) = AsyncStream<Loader.ByteProgress>.makeStream()
    let options = Loader.Options(onProgress: { continuation.yield($0) })
    let request = URLRequest(url: exchange.url)
    let loading = Task { [options] in
      defer { continuation.finish() }
      return try await Loader(configuration: .patient).image(for: request, options: options)
    }
    var all: [Loader.ByteProgress] = []
    for await report in reports {
      all.append(report)
      if all.count == 1 { try await exchange.release() }
    }
    _ = try await loading.value
    let first = try #require(all.first)
    #expect(first.receivedBytes <= 300)
    #expect(zip(all, all.dropFirst()).allSatisfy { $0.receivedBytes < $1.receivedBytes })
    #expect(all.last == Loader.ByteProgress(receivedBytes: count, expectedBytes: isLengthKnown ? count : nil))
    #expect(all.last?.fraction == (isLengthKnown ? 1 : nil))
  }

  /// The URLs differ only in a signature, which the cache key omits.
  @Test(arguments: [true, false]) func cacheKeysIdentifyImages(hasKey: Bool) async throws {
    let exchange = Exchange(Fixtures.photo, ["header": "Cache-Control:max-age=600"])
    let signed = try (0..<3).map { try #require(URL(string: "\(exchange.url.absoluteString)&signature=\($0)")) }
    let key: @Sendable (URL) -> URL = { url in
      guard hasKey, var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return url }
      parts.queryItems?.removeAll { $0.name == "signature" }
      return parts.url ?? url
    }
    let loader = Loader(configuration: .patient, cache: WebP.ImageCache(folder: nil), cacheKey: key)
    #expect(try await loader.image(for: signed[0]).source == .network)
    #expect(try await loader.image(for: signed[1]).source == (hasKey ? .memory : .network))
    loader.removeDecodedImages()
    #expect(try await loader.image(for: signed[2]).source == (hasKey ? .cache : .network))
    let targets = try await exchange.log().map(\.target)
    #expect(targets.count == (hasKey ? 1 : 3) && targets[0].contains("signature=0"))
  }

  @Test func lowMemoryReleasesImages() async throws {
    let exchange = Exchange(Fixtures.photo, ["header": "Cache-Control:max-age=600"])
    let cache = WebP.ImageCache(folder: nil)
    let scheduler = DownloadScheduler(.init(), .patient, cache)
    func load() async throws -> Loader.Loaded.Source? {
      let updates = scheduler.updates(for: URLRequest(url: exchange.url), .init())
      for try await case .finished(let loaded) in updates { return loaded.source }
      return nil
    }
    #expect(try await load() == .network)
    #expect(try await load() == .memory)
    scheduler.releaseMemory()
    #expect(cache.memoryBytes == 0)
    #expect(try await load() == .network)
  }
}
