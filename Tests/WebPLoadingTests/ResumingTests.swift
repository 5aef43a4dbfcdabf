import Foundation
import LoadingTestSupport
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that prefetched files are not requested again, and that canceled downloads continue.
/// Expected values: libwebp's checksums of the images, and the requests that a server or a transport receives.
@Suite(.gated, .needs("python3")) struct ResumingTests {
  // MARK: Files

  /// Prefetched files and files of other formats are in the cache. A page and a truncated WebP are not.
  @Test(
    arguments: [
      (Fixtures.photo, [:], 1), ("other.png", ["text": "pixels"], 1),
      ("page.webp", ["text": "hello", "type": "text/html"], 2),
      (Fixtures.photo, ["cut": "300", "unframed": "1"], 2),
    ] as [(String, [String: String], Int)])
  func prefetchedFilesAreNotRequestedAgain(name: String, query: [String: String], requests: Int) async throws {
    let exchange = Exchange(name, query.merging(["header": "Cache-Control:max-age=600"]) { $1 })
    let loader = Loader(configuration: .patient, cache: WebP.ImageCache(folder: nil))
    await loader.prefetch([exchange.url])
    if query["cut"] != nil {
      // The RIFF header specifies more bytes.
      await #expect { try await loader.data(for: exchange.url) } throws: {
        ($0 as? WebP.LoadError)?.underlyingError.code == .networkConnectionLost
      }
    } else {
      let data = try await loader.data(for: exchange.url)
      if name == Fixtures.photo { #expect(data == (try Fixtures.bytes(name))) }
    }
    if name == Fixtures.photo, query.isEmpty {
      #expect(try await loader.image(for: exchange.url).source == .cache)
    }
    #expect(try await exchange.log().count == requests)
  }

  @Test func prefetchingCanBeCanceled() async throws {
    let loader = Loader(configuration: .patient, cache: WebP.ImageCache(folder: nil), maximumLoads: 1)
    let exchange = Exchange(Fixtures.photo, ["hold": "300"])
    let waiting = Exchange(Fixtures.photo)
    let prefetching = Task { await loader.prefetch([exchange.url]) }
    _ = try await exchange.wait { $0.first?.sent == 300 }
    let next = Task { await loader.prefetch([waiting.url]) }
    next.cancel()
    _ = await next.value
    prefetching.cancel()
    _ = await prefetching.value
    _ = try await exchange.wait { $0.first?.aborted == true }
    #expect(try await waiting.log().isEmpty)
  }

  /// An entry that cannot be decoded is removed, so that the image is requested again.
  @Test func undecodableFilesAreRemovedFromTheCache() async throws {
    let cache = WebP.ImageCache(folder: nil)
    let exchange = Exchange("animation-nothing.webp", ["header": "Cache-Control:max-age=600"])
    for requests in 1...2 {
      let loader = Loader(configuration: .patient, cache: cache)
      await loader.prefetch([exchange.url])
      await #expect(throws: WebP.LoadError.self) { try await loader.image(for: exchange.url) }
      #expect(try await exchange.log().count == requests)
    }
  }

  // MARK: Resuming

  /// The first download is canceled after 300 bytes. The second one continues it if the validator is strong, and if the
  /// server sends ranges of the file.
  @Test(
    arguments: [
      (["ETag": "\"1\""], true), (["ETag": "\"1\"", "Content-Encoding": "gzip"], false), (["ETag": "W/\"1\""], false),
      (["ETag": "\"1\"", "Accept-Ranges": "none"], false),
    ] as [([String: String], Bool)])
  func canceledDownloadsContinue(fields: [String: String], isResumed: Bool) async throws {
    let transport = try rangeTransport(fields)
    let loader = Loader(
      configuration: .patient, cache: WebP.ImageCache(folder: nil, defaultLifetime: 600), transport: transport)
    let (reports, report) = AsyncStream<Int>.makeStream()
    let options = Loader.Options(onProgress: { report.yield($0.receivedBytes) })
    let first = Task { try await loader.image(for: Self.url, options: options) }
    for await count in reports {
      #expect(count == 300)
      break
    }
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    let loaded = try await loader.image(for: Self.url)
    #expect(Fixtures.Reference(loaded.image) == Fixtures.references[Fixtures.photo] && loaded.source == .network)
    // The stored file is complete.
    loader.removeDecodedImages()
    #expect(try await loader.data(for: Self.url) == Fixtures.bytes(Fixtures.photo))
    #expect(transport.requests.map { $0.value(forHTTPHeaderField: "Range") } == [nil, isResumed ? "bytes=300-" : nil])
  }

  /// The next download begins while the work of the canceled one has not stopped, because its consumer blocks.
  @Test func theNextDownloadWaitsForTheCanceledOne() async throws {
    let transport = try rangeTransport(["ETag": "\"1\""])
    let loader = Loader(configuration: .patient, transport: transport)
    let (blocked, block) = AsyncStream<Void>.makeStream()
    let mayEnd = DispatchSemaphore(value: 0)
    let options = Loader.Options(onProgress: { _ in
      block.finish()
      mayEnd.wait()
    })
    let first = Task { try await loader.image(for: Self.url, options: options) }
    for await _ in blocked {}
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    let next = loader.updates(for: Self.url)
    // A load that was begun later has ended, so the next download waits.
    _ = try await loader.data(for: #require(URL(string: "http://a/c.webp")))
    mayEnd.signal()
    for try await _ in next {}
    #expect(transport.requests.map { $0.value(forHTTPHeaderField: "Range") } == [nil, nil, "bytes=300-"])
  }

  private static let url = URL(string: "http://a/b.webp")!

  /// Stops after 300 bytes of the first response.
  private func rangeTransport(_ fields: [String: String]) throws -> ScriptedTransport {
    let file = try Fixtures.bytes(Fixtures.photo)
    let (requests, never) = (Counter(), Gate())
    return ScriptedTransport { request in
      if let range = request.value(forHTTPHeaderField: "Range"), let start = Int(range.dropFirst(6).dropLast()) {
        let range = ["Content-Range": "bytes \(start)-\(file.count - 1)/\(file.count)"]
        return [.head(206, fields.merging(range) { $1 }), .piece(file[start...])]
      }
      requests.add()
      if requests.count > 1 { return [.head(200, fields), .piece(file)] }
      return [.head(200, fields), .piece(file.prefix(300)), .wait(never)]
    }
  }

  /// Responses to a request for the bytes from 4 on.
  @Test(
    arguments: [
      (206, ["Content-Range": "bytes 4-9/10", "ETag": "\"a\""], true),
      (206, ["Content-Range": "bytes 5-9/10", "ETag": "\"a\""], false),
      (206, ["Content-Range": "bytes 4-9/10", "ETag": "\"b\""], false), (206, ["ETag": "\"a\""], false),
      (416, ["Content-Range": "bytes */10", "ETag": "\"a\""], false),
    ] as [(Int, [String: String], Bool)])
  func onlyTheSameFileContinues(status: Int, fields: [String: String], isCombined: Bool) throws {
    let whole = Fixtures.response(200, ["ETag": "\"a\"", "Content-Length": "10", "X-Color": "blue"])
    let partial = try #require(PartialFile(Data(count: 4), whole, of: URLRequest(url: Fixtures.url), isPrivate: false))
    let combined = partial.combined(with: Fixtures.response(status, fields))
    #expect((combined != nil) == isCombined)
    if let combined {
      #expect(combined.statusCode == 200 && combined.expectedContentLength == 10)
      #expect(combined.value(forHTTPHeaderField: "X-Color") == "blue")
      #expect(combined.value(forHTTPHeaderField: "Content-Range") == nil)
    }
  }

  // MARK: Background

  /// The second reader requests time in the background. When the time is over, the download is canceled.
  @Test func downloadsEndWithTheTimeInTheBackground() async throws {
    let (activities, begin) = AsyncStream<@Sendable (Bool) -> Void>.makeStream()
    let limits = DownloadScheduler.Limits(perform: { begin.yield($0) })
    let scheduler = DownloadScheduler(limits, .patient, nil)
    let exchange = Exchange(Fixtures.photo, ["hold": "300"])
    var options = Loader.Options()
    let first = scheduler.updates(for: URLRequest(url: exchange.url), options)
    _ = try await exchange.wait { $0.first?.sent == 300 }
    options.continuesInBackground = true
    let second = scheduler.updates(for: URLRequest(url: exchange.url), options)
    for await activity in activities {
      activity(true)
      break
    }
    for updates in [first, second] {
      let error = await #expect(throws: WebP.LoadError.self) { for try await _ in updates {} }
      #expect(error?.underlyingError.code == .cancelled && error?.localizedDescription.contains("background") == true)
    }
    _ = try await exchange.wait { $0.first?.aborted == true }
  }
}
