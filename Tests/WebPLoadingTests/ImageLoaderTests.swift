import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that a loader delivers, shares, cancels and caches images as documented.
/// Expected values: libwebp's checksums of the images, and the requests that a server on this machine receives.
@Suite(.gated, .needs("python3")) struct ImageLoaderTests {
  private static let fresh = ["header": "Cache-Control:max-age=600"]

  private func expectImage(
    _ loaded: Loader.Loaded, _ name: String = Fixtures.photo, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let reference = Fixtures.Reference(loaded.image)
    #expect(reference == Fixtures.references[name], sourceLocation: sourceLocation)
  }

  @Test func completeImagesAreDelivered() async throws {
    let loader = WebP.ImageLoader(configuration: .patient)
    for name in [Fixtures.photo, "encoder-cwebp-alpha-best.webp", "encoder-pillow-lossless.webp"] {
      let exchange = Exchange(name)
      let first = try await loader.image(for: exchange.url)
      expectImage(first, name)
      #expect(first.source == .network && first.fadesIn)
      let second = try await loader.image(for: exchange.url)
      expectImage(second, name)
      #expect(second.source == .memory && !second.fadesIn)
      #expect(try await exchange.log().count == 1)
      loader.removeDecodedImages()
      _ = try await loader.image(for: exchange.url)
      #expect(try await exchange.log().count == 2)
    }
  }

  @Test(arguments: [false, true]) func rowsAreDeliveredInOrder(isFlipped: Bool) async throws {
    let file = try Fixtures.bytes("four-megapixels.webp")
    let exchange = Exchange("four-megapixels.webp", ["hold": "\(file.count / 2)"])
    let options = WebP.ImageLoader.Options(decoding: .init(flipsVertically: isFlipped, isUpright: true))
    let whole = try WebP.decode(file, options: options.decoding)
    var placeholder: WebP.Size?
    var rows = 0
    var loaded: WebP.ImageLoader.Loaded?
    let request = URLRequest(url: exchange.url)
    for try await update in WebP.ImageLoader(configuration: .patient).updates(for: request, options: options) {
      switch update {
      case .placeholder(_, let size): placeholder = size
      case .rows(let image, let range):
        // The server waits until the first rows have been delivered.
        if rows == 0 { try await exchange.release() }
        let finished = isFlipped ? range.lowerBound..<image.height : 0..<range.upperBound
        #expect(finished.count - range.count >= rows)
        rows = finished.count
        let bytes = (finished.lowerBound * whole.stride)..<(finished.upperBound * whole.stride)
        #expect(Data(image.pixels[bytes]) == Data(whole.pixels[bytes]))
        let next = isFlipped ? finished.lowerBound - 1 : finished.upperBound
        #expect(rows == image.height || image.pixels[next * image.stride + 3] == 0)
      case .cached: Issue.record("nothing was cached")
      case .finished(let image): loaded = image
      }
    }
    #expect(rows > 0)
    #expect(placeholder == nil || placeholder?.width == 2560)
    expectSame(loaded?.image, whole)
  }

  /// The placeholder has the size of the finished image, so that a view can reserve space.
  @Test(
    arguments: [
      (WebP.Rectangle?.none, WebP.OutputSize?.none), (nil, .fit(width: 20, height: 20)),
      (WebP.Rectangle(x: 7, y: 3, width: 12, height: 8), nil),
      (WebP.Rectangle(x: 7, y: 3, width: 12, height: 8), .exact(height: 4)),
    ])
  func placeholdersHaveTheSizeOfTheImage(crop: WebP.Rectangle?, size: WebP.OutputSize?) async throws {
    let options = WebP.ImageLoader.Options(decoding: .init(crop: crop, size: size, isUpright: true))
    for name in [Fixtures.photo, "encoder-pillow-lossless.webp", "animation-lossy.webp"] {
      let exchange = Exchange(name, ["hold": "60"])
      var placeholder: [Int] = []
      var finished: [Int] = []
      let request = URLRequest(url: exchange.url)
      for try await update in WebP.ImageLoader(configuration: .patient).updates(for: request, options: options) {
        try await exchange.release()
        switch update {
        case .placeholder(let info, let size):
          #expect(info.isAnimated == name.hasPrefix("animation"))
          placeholder = [size.width, size.height]
        case .rows, .cached: break
        case .finished(let loaded): finished = [loaded.image.width, loaded.image.height]
        }
      }
      #expect(!finished.isEmpty && placeholder == finished, "\(name)")
    }
  }

  @Test func readersShareOneDownload() async throws {
    let loader = WebP.ImageLoader(configuration: .patient)
    let exchange = Exchange(Fixtures.photo, ["hold": "-1"])
    try await withThrowingTaskGroup(of: WebP.ImageLoader.Loaded.self) { group in
      for _ in 0..<50 { group.addTask { try await loader.image(for: exchange.url) } }
      _ = try await exchange.wait { !$0.isEmpty }
      try await exchange.release()
      for try await loaded in group { expectImage(loaded) }
    }
    #expect(try await exchange.log().count == 1)
  }

  @Test func downloadsEndWithTheirLastReader() async throws {
    let loader = WebP.ImageLoader(configuration: .patient)
    let exchange = Exchange(Fixtures.photo, ["hold": "300"])
    let readers = (0..<2).map { _ in Task { try await loader.image(for: exchange.url) } }
    _ = try await exchange.wait { $0.first?.sent == 300 }
    readers[0].cancel()
    _ = try? await readers[0].value
    #expect(try await exchange.log().first?.aborted == false)
    readers[1].cancel()
    let requests = try await exchange.wait { $0.first?.aborted == true }
    #expect(requests.count == 1)
    // The next load starts a new download.
    let again = Task { try await loader.image(for: exchange.url) }
    _ = try await exchange.wait { $0.count == 2 }
    try await exchange.release()
    expectImage(try await again.value)
  }

  @Test func onlyPermanentFailuresAreRemembered() async throws {
    let loader = WebP.ImageLoader(configuration: .patient)
    let retrying = WebP.ImageLoader.Options(retriesFailed: true)
    for query in [
      ["status": "404"], ["as": "index.tsv"], ["status": "503"], ["cut": "300"],
      ["cut": "300", "unframed": "1"],
    ] {
      let isForGood = query["status"] == "404" || query["as"] != nil
      let exchange = Exchange(Fixtures.photo, query)
      for _ in 0..<2 { await #expect(throws: WebP.LoadError.self) { try await loader.image(for: exchange.url) } }
      #expect(try await exchange.log().count == (isForGood ? 1 : 2), "\(query)")
      await #expect(throws: WebP.LoadError.self) { try await loader.image(for: exchange.url, options: retrying) }
      #expect(try await exchange.log().count == (isForGood ? 2 : 3), "\(query)")
      loader.forgetFailures()
      await #expect(throws: WebP.LoadError.self) { try await loader.image(for: exchange.url) }
      #expect(try await exchange.log().count == (isForGood ? 3 : 4), "\(query)")
    }
  }

  /// A failure applies only to requests with the same headers and options.
  @Test func failuresApplyToEqualRequests() async throws {
    let loader = WebP.ImageLoader(configuration: .patient)
    let exchange = Exchange(Fixtures.photo)
    let cropped = WebP.ImageLoader.Options(
      decoding: .init(crop: WebP.Rectangle(x: 60, y: 0, width: 60, height: 10), isUpright: true))
    await #expect(throws: WebP.LoadError.self) { try await loader.image(for: exchange.url, options: cropped) }
    let small = WebP.ImageLoader.Options(decoding: .init(isUpright: true, limits: .init(maximumPixels: 10)))
    await #expect(throws: WebP.LoadError.self) { try await loader.image(for: exchange.url, options: small) }
    expectImage(try await loader.image(for: exchange.url))
  }

  @Test func missingFilesMayAppear() async throws {
    let folder = try TemporaryFolder.make()
    let loader = WebP.ImageLoader(configuration: .patient)
    let file = folder.appendingPathComponent("late.webp")
    await #expect(throws: WebP.LoadError.self) { try await loader.image(for: file) }
    try Fixtures.bytes(Fixtures.photo).write(to: file)
    expectImage(try await loader.image(for: file))
  }

  @Test func filesAreCachedAndValidated() async throws {
    let folder = TemporaryFolder.place()
    func load(
      _ url: URL, _ options: WebP.ImageLoader.Options = .init()
    ) async throws -> WebP.ImageLoader.Loaded {
      let cache = WebP.ImageCache(folder: folder)
      defer { cache.finishWriting() }
      return try await WebP.ImageLoader(configuration: .patient, cache: cache).image(for: url, options: options)
    }
    let exchange = Exchange(Fixtures.photo, Self.fresh.merging(["header": "ETag:one"]) { first, _ in first })
    _ = try await load(exchange.url)
    let cached = try await load(exchange.url)
    #expect(cached.source == .cache && !cached.fadesIn)
    expectImage(cached)
    #expect(try await exchange.log().count == 1)

    var options = WebP.ImageLoader.Options(refreshesCached: true)
    let validated = Exchange(Fixtures.photo, ["header": "ETag:\"one\""])
    _ = try await load(validated.url)
    let refreshed = try await load(validated.url, options)
    expectImage(refreshed)
    let requests = try await validated.log()
    #expect(requests.count == 2 && requests[1].sent == 0 && requests[1].headers["if-none-match"] == "\"one\"")

    options = .init()
    options.keepsInMemoryOnly = true
    let fleeting = Exchange(Fixtures.photo, Self.fresh)
    let cache = WebP.ImageCache(folder: folder)
    let before = cache.diskBytes
    _ = try await WebP.ImageLoader(configuration: .patient, cache: cache).image(for: fleeting.url, options: options)
    #expect(cache.diskBytes == before && cache.memoryBytes > 0)

    let offline = WebP.ImageCache(folder: folder)
    offline.isOffline = true
    let without = WebP.ImageLoader(configuration: .patient, cache: offline)
    expectImage(try await without.image(for: exchange.url))
    await #expect(throws: WebP.LoadError.self) { try await without.image(for: fleeting.url) }
  }

  @Test func transformedImagesAreCached() async throws {
    let name = "encoder-pillow-lossless.webp"
    let loader = WebP.ImageLoader(configuration: .patient)
    let exchange = Exchange(name)
    var options = WebP.ImageLoader.Options()
    // Returns the left half of the image.
    options.transform = .init("left half") { image in
      let rows = (0..<image.height).map { image.pixels[$0 * image.stride..<$0 * image.stride + image.width / 2 * 4] }
      let pixels = Array(rows.joined())
      return try #require(
        WebP.Image(width: image.width / 2, height: image.height, format: image.format, pixels: pixels))
    }
    let half = try await loader.image(for: exchange.url, options: options)
    let plain = try await loader.image(for: exchange.url)
    expectImage(plain, name)
    let cropped = WebP.DecodeOptions(
      crop: WebP.Rectangle(x: 0, y: 0, width: plain.image.width / 2, height: plain.image.height))
    try expectSame(half.image, WebP.decode(Fixtures.bytes(name), options: cropped))
    #expect(try await loader.image(for: exchange.url, options: options).source == .memory)
    #expect(try await exchange.log().count == 2)
  }

  @Test func cookiesAreSentOnlyIfHandled() async throws {
    let loader = WebP.ImageLoader(configuration: .patient)
    let without = WebP.ImageLoader.Options(handlesCookies: false)
    let exchange = Exchange(Fixtures.photo, ["header": "Set-Cookie:crumb=1"])
    for _ in 0..<2 {
      _ = try await loader.image(for: exchange.url, options: without)
      loader.removeDecodedImages()
    }
    for _ in 0..<2 {
      _ = try await loader.image(for: exchange.url)
      loader.removeDecodedImages()
    }
    #expect(try await exchange.log().map { $0.headers["cookie"] != nil } == [false, false, false, true])
  }

  /// The size of a decoded image includes its metadata and, for an animation, its file.
  @Test(arguments: [("animation-full-frames.webp", 2), ("encoder-pillow-metadata.webp", 1)])
  func decodedImagesAreBounded(name: String, copies: Int) async throws {
    let file = TemporaryFolder.place().appendingPathExtension("webp")
    // An unknown chunk of 1 MiB.
    var bytes = try Fixtures.bytes(name)
    bytes += Data(FileWriter.chunk("JUNK", [UInt8](repeating: 0, count: 1 << 20)))
    bytes.replaceSubrange(4..<8, with: FileWriter.littleEndian(bytes.count - 8, bytes: 4))
    try bytes.write(to: file)
    for (maximum, isKept) in [(copies << 20, false), ((copies + 1) << 20, true)] {
      let loader = WebP.ImageLoader(configuration: .patient, maximumDecodedBytes: maximum)
      let loaded = try await loader.image(for: file)
      #expect(loaded.metadata.unknown.map { $0.payload.count } == [1 << 20] && loaded.image.pixels.count < 1 << 19)
      #expect((loaded.animation != nil) == (copies == 2))
      #expect((try await loader.image(for: file).source == .memory) == isKept)
    }
  }

  @Test func animationsAreLoadedFromFiles() async throws {
    let url = Fixtures.folders[1].appendingPathComponent("animation-full-frames.webp")
    let loader = WebP.ImageLoader(configuration: .patient)
    let loaded = try await loader.image(for: url)
    let animation = try WebP.Animation(Fixtures.bytes("animation-full-frames.webp"))
    #expect(loaded.animation?.source.frameCount == animation.frameCount)
    try expectSame(loaded.image, animation.frame(at: 0).image)
    await #expect(throws: WebP.LoadError.self) { try await loader.image(for: url.appendingPathExtension("none")) }
  }

  @Test func singleFrameIsNotAnAnimation() async throws {
    let file = Fixtures.folders[1].appendingPathComponent("animation-one-frame.webp")
    #expect(try WebP.info(Data(contentsOf: file)).isAnimated)
    #expect(try await WebP.ImageLoader(configuration: .patient).image(for: file).animation == nil)
  }
}
