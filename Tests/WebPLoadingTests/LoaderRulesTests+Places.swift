// The order of downloads, and the updates of each reader.

import Foundation
import LoadingTestSupport
import PureWebP
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension LoaderRulesTests {
  @Test(arguments: [0, -1, .min]) func atLeastOneLoadRuns(maximumLoads: Int) async throws {
    let loader = WebP.ImageLoader(configuration: .patient, maximumLoads: maximumLoads)
    let file = Fixtures.folders[1].appendingPathComponent(Fixtures.photo)
    #expect(try await loader.image(for: file).source == .cache)
  }

  /// If all readers leave before the last bytes, the following steps are skipped.
  @Test(arguments: [false, true]) func loadsWithoutReadersAreNotFinished(isLeft: Bool) async throws {
    let transformed = Locked([String]())
    var options = WebP.ImageLoader.Options()
    options.transform = .init("noted") {
      transformed.withLock { $0.append("noted") }
      return $0
    }
    let (gate, picture) = (Gate(), try Fixtures.bytes(Fixtures.photo))
    let transport = ScriptedTransport(
      .head(200), .piece(picture.dropLast()), .wait(gate), .piece(picture.suffix(1)))
    let (scheduler, readers) = read([options], transport: transport)
    await gate.arrival()
    if isLeft { scheduler.leave(readers[0].number) }
    gate.open()
    if !isLeft { for try await _ in readers[0].events {} }
    try await waitUntil { transport.releasedBodies == 1 }
    #expect(transformed.withLock { $0 } == (isLeft ? [] : ["noted"]))
  }

  /// One of two readers of a load requests rows. With a transform, no rows are delivered.
  @Test(arguments: [false, true]) func rowsAreDeliveredOnRequestOnly(isTransformed: Bool) async throws {
    var options = WebP.ImageLoader.Options()
    if isTransformed { options.transform = .init("same") { $0 } }
    let all = [true, false].map { isProgressive in
      options.isProgressive = isProgressive
      return options
    }
    let (gate, rest, picture) = (Gate(), Gate(), try Fixtures.bytes(Fixtures.photo))
    let transport = ScriptedTransport(
      .wait(gate), .head(200), .piece(picture.dropLast()), .wait(rest), .piece(picture.suffix(1)))
    let (_, readers) = read(all, transport: transport)
    await gate.arrival()
    gate.open()
    var hasRows: [Bool] = []
    for reader in readers {
      hasRows.append(false)
      for try await case .update(let update, _) in reader.events {
        // The rest follows the last update that the first reader expects.
        switch update {
        case .rows:
          hasRows[hasRows.count - 1] = true
          rest.open()
        case .placeholder: if isTransformed { rest.open() }
        case .cached, .finished: break
        }
      }
    }
    #expect(hasRows == [!isTransformed, false])
  }

  /// A view fades in rows. Images from the disk, from files and from data URLs have none.
  @Test func onlyImagesFromServersHaveRows() async throws {
    let cache = WebP.ImageCache(folder: nil)
    let exchange = Exchange(Fixtures.photo, ["header": "Cache-Control:max-age=600", "hold": "1500"])
    let data = "data:;base64,\(try Fixtures.bytes(Fixtures.photo).base64EncodedString())"
    let file = Fixtures.folders[1].appendingPathComponent(Fixtures.photo)
    for url in [exchange.url, exchange.url, file, try #require(URL(string: data))] {
      let (_, readers) = read([.init()], url, cache)
      var (hasRows, source) = (false, WebP.ImageLoader.Loaded.Source?.none)
      for try await case .update(let update, _) in readers[0].events {
        if case .rows = update {
          hasRows = true
          try await exchange.release()
        }
        if case .finished(let loaded) = update { source = loaded.source }
      }
      #expect(source != nil && hasRows == (source == .network))
    }
    #expect(try await exchange.log().count == 1)
  }

  /// A reader for each of the options.
  private func read(
    _ all: [WebP.ImageLoader.Options], _ url: URL = URL(string: "http://a/b.webp")!, _ cache: WebP.ImageCache? = nil,
    transport: (any WebP.Transport)? = nil
  ) -> (DownloadScheduler, [(number: Int, events: DownloadScheduler.Events)]) {
    let scheduler = DownloadScheduler(
      .init(maximumDecodedBytes: 0, maximumLoads: 1), .patient, cache, transport: transport)
    return (scheduler, all.map { scheduler.read(URLRequest(url: url), $0) })
  }

  /// A canceled load occupies its slot until its work has stopped.
  @Test func slotsAreFreeWhenWorkHasStopped() async throws {
    let loader = WebP.ImageLoader(configuration: .patient, maximumLoads: 1)
    let (begun, start) = AsyncStream<Void>.makeStream()
    let mayEnd = DispatchSemaphore(value: 0)
    var options = WebP.ImageLoader.Options()
    options.transform = .init("held") {
      start.finish()
      mayEnd.wait()
      return $0
    }
    let file = Fixtures.folders[1].appendingPathComponent(Fixtures.photo)
    let left = Task { [options] in try await loader.image(for: file, options: options) }
    for await _ in begun {}
    left.cancel()
    await #expect(throws: CancellationError.self) { try await left.value }
    let exchange = Exchange(Fixtures.photo)
    let next = loader.updates(for: exchange.url)
    for _ in 0..<20 { #expect(try await exchange.log().isEmpty) }
    mayEnd.signal()
    for try await _ in next {}
    #expect(try await exchange.log().count == 1)
  }

  /// Slow responses of one host leave slots for other hosts.
  @Test func hostsDoNotBlockEachOther() async throws {
    let loader = WebP.ImageLoader(configuration: .patient, maximumLoads: 3, maximumLoadsPerHost: 2)
    let slow = Exchange(Fixtures.photo, ["hold": "-1"])
    let urls = (0..<4).map { URL(string: "\(slow.url.absoluteString)&n=\($0)")! }
    let held = urls.map { loader.updates(for: $0) }
    _ = try await slow.wait { $0.count == 2 }
    let other = Exchange(Fixtures.photo)
    var parts = URLComponents(url: other.url, resolvingAgainstBaseURL: false)!
    parts.host = "localhost"
    #expect(try await loader.image(for: try #require(parts.url)).source == .network)
    #expect(try await slow.log().count == 2)
    try await slow.release()
    for updates in held { for try await _ in updates {} }
    #expect(try await slow.log().count == 4)
  }

  /// While one load occupies the only slot, several readers request another image.
  @Test(
    arguments: [
      ([.low], URLSessionTask.lowPriority), ([.low, .normal], URLSessionTask.defaultPriority),
      ([.low, .high], URLSessionTask.highPriority), ([.high, .low], URLSessionTask.highPriority),
    ] as [([WebP.ImageLoader.Options.Priority], Float)])
  func tasksHaveTheHighestPriority(readers: [WebP.ImageLoader.Options.Priority], expected: Float) async throws {
    let configuration = URLSessionConfiguration.patient
    configuration.protocolClasses = [RefusingProtocol.self]
    let loader = WebP.ImageLoader(configuration: configuration, maximumLoads: 1)
    let blocker = Exchange(Fixtures.photo, ["hold": "-1"])
    let first = loader.updates(for: blocker.url)
    _ = try await blocker.wait { !$0.isEmpty }
    let url = URL(string: "http://\(RefusingProtocol.host)/\(UUID())")!
    let streams = readers.map { priority in
      return loader.updates(for: url, options: .init(priority: priority))
    }
    try await blocker.release()
    for try await _ in first {}
    for stream in streams { await #expect(throws: WebP.LoadError.self) { for try await _ in stream {} } }
    let tasks = RefusingProtocol.tasks.withLock { $0 }
    #expect(tasks.filter { $0.originalRequest?.url == url }.map(\.priority) == [expected])
  }
}

/// Records its tasks, and fails every request.
private final class RefusingProtocol: URLProtocol {
  static let host = "refused"
  static let tasks = Locked([URLSessionTask]())

  override class func canInit(with request: URLRequest) -> Bool { request.url?.host == host }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    if let task { Self.tasks.withLock { $0.append(task) } }
    client?.urlProtocol(self, didFailWithError: URLError(.cannotConnectToHost))
  }

  override func stopLoading() {}
}
