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

/// Proves that updates of image loads arrive in order, are shared, and end after the image or the error.
/// Expected values: the responses of a server on the loopback interface.
@Suite(.gated, .needs("python3")) struct LoaderUpdatesTests {
  private let loader = WebP.ImageLoader(configuration: .patient)

  @Test func canceledReadersThrow() async throws {
    let exchange = Exchange(Fixtures.photo, ["hold": "-1"])
    let updates = loader.updates(for: exchange.url)
    let reading = Task { for try await _ in updates {} }
    _ = try await exchange.wait { !$0.isEmpty }
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
  }

  /// Updates can be iterated over once. Another iteration ends without an error.
  @Test func anotherIterationHasNoUpdates() async throws {
    let updates = loader.updates(for: Fixtures.folders[1].appendingPathComponent(Fixtures.photo))
    var counts = [0, 0]
    for index in counts.indices { for try await case .finished in updates { counts[index] += 1 } }
    #expect(counts == [1, 0])
  }

  @Test func transformsApplyToEveryFrame() async throws {
    let name = "animation-full-frames.webp"
    let options = Loader.Options(transform: .init("down") { $0.oriented(.down) })
    let file = Fixtures.folders[1].appendingPathComponent(name)
    let loaded = try await loader.image(for: URLRequest(url: file), options: options)
    let expected = Array(try WebP.Animation(Fixtures.bytes(name))).map { $0.image.oriented(.down) }
    let animation = try #require(loaded.animation)
    expectSame(loaded.image, expected[0])
    #expect(expected.count > 1)
    var iterator = animation.makeIterator()
    for (index, image) in expected.enumerated() {
      let frame = try #require(try iterator.nextFrame())
      #expect(frame.index == index)
      expectSame(frame.image, image)
      #expect(try animation.frame(at: index) == image)
    }
    #expect(try iterator.nextFrame() == nil)
  }

  // MARK: Refreshing

  /// - Parameter gate: the server answers when it is open.
  /// - Returns: the sources of the images, and whether each was the last update.
  private func refresh(_ loader: Loader, _ url: URL, _ gate: Gate) async throws -> [(Loader.Loaded.Source, Bool)] {
    let options = Loader.Options(refreshesCached: true)
    var images: [(Loader.Loaded.Source, Bool)] = []
    for try await update in loader.updates(for: URLRequest(url: url), options: options) {
      switch update {
      case .placeholder, .rows: Issue.record("the cached image was replaced by part of a new one")
      case .cached(let loaded):
        images.append((loaded.source, false))
        #expect(Fixtures.Reference(loaded.image) == Fixtures.references[Fixtures.photo])
        gate.open()
      case .finished(let loaded):
        images.append((loaded.source, true))
        #expect(Fixtures.Reference(loaded.image) == Fixtures.references[Fixtures.photo])
      }
    }
    return images
  }

  /// With an ETag, the server confirms the cached image. Without an ETag, it sends a new one.
  @Test(arguments: [(["ETag": "\"one\""], Loader.Loaded.Source.cache), (["Cache-Control": "max-age=600"], .network)])
  func cachedImagesComeFirst(fields: [String: String], source: Loader.Loaded.Source) async throws {
    let (picture, url) = (try Fixtures.bytes(Fixtures.photo), URL(string: "http://a/b.webp")!)
    for isDecoded in [false, true] {
      let gate = Gate()
      let transport = ScriptedTransport { request in
        if request.value(forHTTPHeaderField: "If-None-Match") == "\"one\"" { return [.wait(gate), .head(304)] }
        let answer: [Step] = [.head(200, fields), .piece(picture)]
        return request.cachePolicy == .reloadRevalidatingCacheData ? [.wait(gate)] + answer : answer
      }
      let loader = Loader(configuration: .patient, cache: WebP.ImageCache(folder: nil), transport: transport)
      _ = try await loader.image(for: url)
      if !isDecoded { loader.removeDecodedImages() }
      let images = try await refresh(loader, url, gate)
      #expect(images.map(\.0) == [isDecoded ? .memory : .cache, source])
      #expect(images.map(\.1) == [false, true] && transport.requests.count == 2)
    }
  }

  // MARK: Shared downloads

  private func options(_ size: WebP.OutputSize?, crop: WebP.Rectangle? = nil) -> Loader.Options {
    Loader.Options(decoding: .init(crop: crop, size: size, isUpright: true))
  }

  /// One reader joins before the first byte, one in the middle.
  @Test func sizesShareADownload() async throws {
    let exchange = Exchange(Fixtures.photo, ["hold": "300"])
    let request = URLRequest(url: exchange.url)
    let all = [
      options(nil), options(.fit(width: 20, height: 20)),
      options(.exact(width: 7, height: 9), crop: WebP.Rectangle(x: 4, y: 6, width: 30, height: 30)),
    ]
    var streams = all.prefix(2).map { loader.updates(for: request, options: $0) }
    _ = try await exchange.wait { $0.first?.sent == 300 }
    streams.append(loader.updates(for: request, options: all[2]))
    // An invalid crop fails, but does not affect the other readers.
    let failing = options(nil, crop: WebP.Rectangle(x: 60, y: 0, width: 60, height: 10))
    let failed = Task { [loader] in try await loader.image(for: request, options: failing) }
    await #expect(throws: WebP.LoadError.self) { try await failed.value }
    try await exchange.release()
    for (options, stream) in zip(all, streams) {
      var image: WebP.Image?
      for try await case .finished(let loaded) in stream { image = loaded.image }
      try expectSame(image, WebP.decode(Fixtures.bytes(Fixtures.photo), options: options.decoding))
    }
    #expect(try await exchange.log().count == 1)
    #expect(try await loader.image(for: request, options: all[2]).source == .memory)
  }

  /// A reader that leaves cancels only its own image.
  @Test func leavingReadersDoNotEndSharedDownloads() async throws {
    let exchange = Exchange(Fixtures.photo, ["hold": "300"])
    let request = URLRequest(url: exchange.url)
    let small = loader.updates(for: request, options: options(.fit(width: 20, height: 20)))
    let leaving = Task { [loader] in try await loader.image(for: request) }
    _ = try await exchange.wait { $0.first?.sent == 300 }
    leaving.cancel()
    await #expect(throws: CancellationError.self) { try await leaving.value }
    try await exchange.release()
    var width: Int?
    for try await case .finished(let loaded) in small { width = loaded.image.width }
    #expect(width == 20)
    #expect(try await exchange.log().map(\.aborted) == [false])
  }
}
