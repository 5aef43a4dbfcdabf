import Foundation
import LoadingTestSupport
import PureWebP
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that the rules of loads hold for every transport, with a transport in memory.
/// Expected values: the file that the scripts send in parts, and the requests that they receive.
@Suite struct LoaderTransportTests {
  private let url = URL(string: "http://a/b.webp")!
  private let picture = try! Fixtures.bytes(Fixtures.photo)

  private func loader(_ transport: ScriptedTransport) -> Loader {
    Loader(configuration: .patient, transport: transport)
  }

  // MARK: Redirects and statuses

  /// Without `Location`, and with 305 and 306, the response is the final one.
  @Test(arguments: [302, 305, 306]) func statusesWithoutTargetsAreErrors(status: Int) async throws {
    let transport = ScriptedTransport(.head(status))
    let error = await #expect(throws: WebP.LoadError.self) { try await loader(transport).data(for: url) }
    #expect(error?.localizedDescription == "the server answered with status \(status)")
  }

  @Test(arguments: ["file:///etc/passwd", "ftp://a/", "data:,a"])
  func otherTargetsAreErrors(location: String) async throws {
    let transport = ScriptedTransport(.head(302, ["Location": location]))
    let error = await #expect(throws: WebP.LoadError.self) { try await loader(transport).data(for: url) }
    #expect(error?.underlyingError.code == .unsupportedURL && transport.requests.count == 1)
  }

  @Test func redirectsAreLimited() async throws {
    let transport = ScriptedTransport(.head(302, ["Location": "/again"]))
    let error = await #expect(throws: WebP.LoadError.self) { try await loader(transport).data(for: url) }
    #expect(error?.underlyingError.code == .httpTooManyRedirects && transport.requests.count == 21)
  }

  /// RFC 9110, section 15.4. The new origin gets neither credentials nor validators.
  @Test(arguments: [
    ("http://a/c", true), ("http://a:80/c", true), ("https://a/c", false), ("http://c/", false),
    ("http://a:8080/c", false),
  ])
  func credentialsStayInTheirOrigin(location: String, isSent: Bool) async throws {
    let picture = picture
    let transport = ScriptedTransport { request in
      request.url?.path == "/b.webp" ? [.head(302, ["Location": location])] : [.head(200), .piece(picture)]
    }
    var request = URLRequest(url: url)
    for field in ["Authorization", "Cookie", "If-None-Match"] { request.setValue("x", forHTTPHeaderField: field) }
    _ = try await loader(transport).data(for: request)
    let last = try #require(transport.requests.last)
    #expect(last.value(forHTTPHeaderField: "Authorization") == (isSent ? "x" : nil))
    #expect(last.value(forHTTPHeaderField: "Cookie") == (isSent ? "x" : nil))
    #expect(last.value(forHTTPHeaderField: "If-None-Match") == nil)
  }

  /// Schemes are case-insensitive (RFC 3986, section 3.1).
  @Test func schemesMayBeInUpperCase() async throws {
    let transport = ScriptedTransport(.head(200), .piece(picture))
    #expect(try await loader(transport).data(for: URL(string: "HTTP://a/b.webp")!) == picture)
    #expect(transport.requests.first?.url?.scheme == "http")
  }

  // MARK: Incomplete bodies

  @Test(arguments: [["Content-Length": "0"], [:]]) func truncatedFilesAreErrors(fields: [String: String]) async throws {
    var fields = fields
    if !fields.isEmpty { fields["Content-Length"] = "\(picture.count)" }
    let transport = ScriptedTransport(.head(200, fields), .piece(picture.dropLast()))
    let error = await #expect(throws: WebP.LoadError.self) { try await loader(transport).data(for: url) }
    #expect(error?.underlyingError.code == .networkConnectionLost)
  }

  /// After 300 bytes, the connection is lost. If the response to the request for the rest does not continue the file up
  /// to its end, the file is requested once more, from its beginning.
  @Test(
    arguments: [(206, Int.max), (206, 100), (206, 1), (206, 0), (304, 0), (412, 0), (416, 0)], [true, false])
  func resumedFilesAreComplete(response: (status: Int, bytes: Int), isLengthKnown: Bool) async throws {
    let picture = picture
    let tag = ["ETag": "\"1\""]
    let count = Counter()
    let transport = ScriptedTransport { request in
      guard let range = request.value(forHTTPHeaderField: "Range") else {
        count.add()
        return [.head(200, tag), .piece(picture.prefix(count.count == 1 ? 300 : .max))]
          + (count.count == 1 ? [.fail(URLError(.networkConnectionLost))] : [])
      }
      guard response.status == 206, let start = Int(range.dropFirst(6).dropLast()) else {
        return [.head(response.status)]
      }
      let part = picture[start...].prefix(response.bytes)
      let length = isLengthKnown ? "\(picture.count)" : "*"
      let last = max(start, start + part.count - 1)
      let head = Step.head(206, tag.merging(["Content-Range": "bytes \(start)-\(last)/\(length)"]) { $1 })
      return [head] + (part.isEmpty ? [] : [.piece(part)])
    }
    let options = Loader.Options(maximumRetries: 1, retryDelay: 0, isProgressive: false)
    let loaded = try await loader(transport).image(for: url, options: options)
    #expect(Fixtures.Reference(loaded.image) == Fixtures.references[Fixtures.photo])
    let ranges = transport.requests.map { $0.value(forHTTPHeaderField: "Range") }
    #expect(ranges == (response.bytes == .max ? [nil, "bytes=300-"] : [nil, "bytes=300-", nil]))
  }

  /// A server that always sends the same part gets one request for the complete file.
  @Test func partsAreNotRequestedAgainAndAgain() async throws {
    let picture = picture
    let transport = ScriptedTransport { request in
      let range = request.value(forHTTPHeaderField: "Range") == nil ? "bytes 0-299" : "bytes 300-300"
      let fields = ["ETag": "\"1\"", "Content-Range": "\(range)/\(picture.count)"]
      return [.head(206, fields), .piece(picture.prefix(300))]
    }
    let error = await failure { _ = try await loader(transport).image(for: url, options: .init(maximumRetries: 9)) }
    #expect(error?.code == .badServerResponse && transport.requests.count == 1)
  }

  /// Each response loses its connection after 300 bytes, or before its head. The next one continues what has arrived.
  @Test(arguments: [[300, 300, 300], [300, -1, 300], [300, 0, -1, 300], [-1, 300, 300]])
  func lostResumptionsAreResumed(lengths: [Int]) async throws {
    let picture = picture
    let count = Counter()
    let transport = ScriptedTransport { request in
      let start = request.value(forHTTPHeaderField: "Range").flatMap { Int($0.dropFirst(6).dropLast()) }
      count.add()
      let length = count.count <= lengths.count ? lengths[count.count - 1] : .max
      if length < 0 { return [.fail(URLError(.networkConnectionLost))] }
      let fields = ["ETag": "\"1\"", "Content-Range": "bytes \(start ?? 0)-\(picture.count - 1)/\(picture.count)"]
      let piece = picture[(start ?? 0)...].prefix(length)
      return [.head(start == nil ? 200 : 206, fields)] + (piece.isEmpty ? [] : [.piece(piece)])
        + (length == .max ? [] : [.fail(URLError(.networkConnectionLost))])
    }
    let data = try await loader(transport).data(for: url, options: .init(maximumRetries: 9, retryDelay: 0))
    #expect(data == picture)
    let starts = transport.requests.dropFirst().map { $0.value(forHTTPHeaderField: "Range") }
    let sums = lengths.indices.map { lengths[...$0].reduce(0) { $0 + max(0, $1) } }
    #expect(starts == sums.map { $0 == 0 ? nil : "bytes=\($0)-" })
  }

  /// A canceled download is continued by one that is canceled before its response, or within it.
  @Test(arguments: [-1, 100]) func canceledResumptionsAreResumed(length: Int) async throws {
    let (picture, gate, count) = (picture, Gate(), Counter())
    let transport = ScriptedTransport { request in
      let start = request.value(forHTTPHeaderField: "Range").flatMap { Int($0.dropFirst(6).dropLast()) }
      count.add()
      let fields = ["ETag": "\"1\"", "Content-Range": "bytes \(start ?? 0)-\(picture.count - 1)/\(picture.count)"]
      let head = Step.head(start == nil ? 200 : 206, fields)
      let rest = picture[(start ?? 0)...]
      switch count.count {
      case 1: return [head, .piece(rest.prefix(300)), .wait(gate)]
      case 2: return length < 0 ? [.wait(gate), head] : [head, .piece(rest.prefix(length)), .wait(gate)]
      default: return [head, .piece(rest)]
      }
    }
    let loader = loader(transport)
    for round in 1...2 {
      let (reports, report) = AsyncStream<Int>.makeStream()
      let load = Task {
        try await loader.data(for: url, options: .init(onProgress: { report.yield($0.receivedBytes) }))
      }
      await gate.arrival(round)
      if round == 1 || length > 0 { for await count in reports where count >= (round == 1 ? 300 : 400) { break } }
      load.cancel()
      _ = await load.result
    }
    #expect(try await loader.data(for: url) == picture)
    let ranges = transport.requests.map { $0.value(forHTTPHeaderField: "Range") }
    #expect(ranges == [nil, "bytes=300-", "bytes=\(300 + max(0, length))-"])
  }

  /// Each retry waits twice as long as the one before.
  @Test func delaysOfRetriesDouble() async throws {
    let (delays, delay) = AsyncStream<Double>.makeStream()
    var limits = DownloadScheduler.Limits()
    limits.clock.after = { seconds, call in
      if seconds >= 60 { return }  // a timeout
      delay.yield(seconds)
      call()
    }
    let scheduler = DownloadScheduler(
      limits, .patient, nil, transport: ScriptedTransport(.fail(URLError(.networkConnectionLost))))
    let (_, events) = scheduler.read(URLRequest(url: url), .init(maximumRetries: 4, retryDelay: 3))
    await #expect(throws: WebP.LoadError.self) { for try await _ in events {} }
    delay.finish()
    #expect(await delays.reduce(into: []) { $0.append($1) } == [3, 6, 12, 24])
  }

  // MARK: Slots

  /// The second of two downloads ends first. Its slot is then free for another host.
  @Test func endedDownloadsReleaseTheirOwnSlot() async throws {
    let (picture, gate) = (picture, Gate())
    let transport = ScriptedTransport { request in
      [.head(200)] + (request.url?.host == "a" ? [.wait(gate)] : []) + [.piece(picture)]
    }
    let loader = Loader(configuration: .patient, transport: transport, maximumLoads: 2)
    async let first = loader.data(for: url)
    await gate.arrival()
    for host in ["b", "c"] {
      #expect(try await loader.data(for: try #require(URL(string: "http://\(host)/b.webp"))) == picture)
    }
    gate.open()
    #expect(try await first == picture)
  }

  // MARK: Animations

  private func frameCounts(_ updates: Loader.Updates, onCached: () -> Void = {}) async throws -> [Int?] {
    var counts: [Int?] = []
    for try await update in updates {
      switch update {
      case .cached(let loaded):
        counts.append(loaded.animation?.source.frameCount)
        onCached()
      case .finished(let loaded): counts.append(loaded.animation?.source.frameCount)
      case .placeholder, .rows: break
      }
    }
    return counts
  }

  /// A reader joins after the file is complete: the first one's transform, which runs then, adds it.
  @Test func lateReadersGetAnimations() async throws {
    let file = try Fixtures.bytes("animation-corners-lossless.webp")
    let loader = loader(ScriptedTransport(.head(200), .piece(file)))
    let (joined, continuation) = AsyncStream<Loader.Updates>.makeStream()
    let transform = Loader.Options.Transform("joins") { [url] image in
      continuation.yield(loader.updates(for: url))
      continuation.finish()
      return image
    }
    #expect(try await frameCounts(loader.updates(for: url, options: .init(transform: transform))) == [5])
    for await updates in joined { #expect(try await frameCounts(updates) == [5]) }
  }

  /// The server confirms the cached file, after its image was shown.
  @Test func refreshedImagesStayAnimations() async throws {
    let (file, gate) = (try Fixtures.bytes("animation-corners-lossless.webp"), Gate())
    let transport = ScriptedTransport { request in
      request.value(forHTTPHeaderField: "If-None-Match") == nil
        ? [.head(200, ["ETag": "\"1\""]), .piece(file)] : [.wait(gate), .head(304)]
    }
    let loader = Loader(configuration: .patient, cache: WebP.ImageCache(folder: nil), transport: transport)
    _ = try await loader.data(for: url)
    let updates = loader.updates(for: url, options: .init(refreshesCached: true))
    #expect(try await frameCounts(updates) { gate.open() } == [5, 5])
  }

  // MARK: Consumers

  /// Twice as many consumers as processors block. Neither another load nor another task waits for them.
  @Test func blockedConsumersStopOnlyTheirLoads() async throws {
    let count = ProcessInfo.processInfo.activeProcessorCount * 2
    let transport = ScriptedTransport(.head(200), .piece(picture))
    let loader = Loader(
      configuration: .patient, transport: transport, maximumLoads: count + 1, maximumLoadsPerHost: count + 1)
    let mayEnd = DispatchSemaphore(value: 0)
    let (blocked, block) = AsyncStream<Void>.makeStream()
    let options = Loader.Options(onProgress: { _ in
      block.yield()
      mayEnd.wait()
    })
    let urls = (0..<count).map { URL(string: "http://a/\($0).webp")! }
    let loads = urls.map { url in Task { try await loader.data(for: url, options: options) } }
    var iterator = blocked.makeAsyncIterator()
    for _ in 0..<count { await iterator.next() }
    #expect(try await loader.data(for: url) == picture)
    await Task {}.value
    for _ in 0..<count { mayEnd.signal() }
    for load in loads { #expect(try await load.value == picture) }
  }

  /// The body is pulled: nothing is read after the end of the WebP, and nothing while no load wants it.
  @Test func loadsEndWithTheirIteration() async throws {
    let gate = Gate()
    let transport = ScriptedTransport(.head(200), .piece(picture.prefix(300)), .wait(gate))
    let updates = loader(transport).updates(for: url)
    for try await _ in updates { break }
    try await waitUntil { transport.releasedBodies == 1 }
    updates.setPriority(.high)
  }

  @Test func prefetchingReportsFailures() async throws {
    let picture = picture
    let transport = ScriptedTransport { $0.url?.path == "/b.webp" ? [.head(200), .piece(picture)] : [.head(404)] }
    let missing = URL(string: "http://a/missing.webp")!
    let failures = await loader(transport).prefetch([url, missing])
    #expect(failures.mapValues { ($0 as? WebP.LoadError)?.underlyingError.code } == [missing: .fileDoesNotExist])
  }

  /// Two short keys fit into each store, but not two long ones. The loads are of a, b, b and a.
  @Test(arguments: [("failures", 1_500_000), ("decoded images", 300_000), ("files", 150_000)], [2, 3])
  func keysCountTowardTheLimits(stored: (name: String, keyBytes: Int), requests: Int) async throws {
    let head = Step.head(stored.name == "failures" ? 404 : 200, ["Cache-Control": "max-age=600"])
    let transport = ScriptedTransport(head, .piece(picture))
    let loader = Loader(
      configuration: .patient,
      cache: stored.name == "files" ? WebP.ImageCache(folder: nil, maximumMemoryBytes: 1 << 19) : nil,
      transport: transport, maximumDecodedBytes: stored.name == "decoded images" ? 1 << 19 : 0)
    let rest = String(repeating: "x", count: requests == 2 ? 10 : stored.keyBytes)
    for name in ["a", "b", "b", "a"] {
      let image = try? await loader.image(for: #require(URL(string: "http://a/\(name)\(rest)")))
      #expect((image == nil) == (stored.name == "failures"))
    }
    #expect(transport.requests.count == requests)
  }

  /// A file system that blocks does not occupy a slot after its load was canceled.
  @Test func canceledReadsFreeTheirSlots() async throws {
    let (started, start) = AsyncStream<Void>.makeStream()
    let mayEnd = DispatchSemaphore(value: 0)
    defer { mayEnd.signal() }
    let limits = DownloadScheduler.Limits(
      maximumLoads: 1,
      readFile: { _, _ in
        start.yield()
        mayEnd.wait()
        return Data()
      })
    let transport = ScriptedTransport(.head(200), .piece(picture))
    let scheduler = DownloadScheduler(limits, .patient, nil, transport: transport)
    let blocked = Task {
      for try await _ in scheduler.updates(for: URLRequest(url: URL(fileURLWithPath: "/a.webp")), .init()) {}
    }
    for await _ in started { break }
    blocked.cancel()
    var isFinished = false
    for try await case .finished in scheduler.updates(for: URLRequest(url: url), .init()) { isFinished = true }
    #expect(isFinished)
  }
}
