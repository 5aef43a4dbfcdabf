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

/// Proves that the nearest image in memory answers a request without waiting.
/// Expected values: sizes computed by hand, and the decoder's images.
@Suite struct DecodedImagesTests {
  private let url = URL(string: "http://a/b.webp")!
  private let picture: Data
  private let loader: Loader

  init() throws {
    picture = try Fixtures.bytes(Fixtures.photo)
    loader = Loader(configuration: .patient, transport: ScriptedTransport(.head(200), .piece(picture)))
  }

  private func options(_ size: WebP.OutputSize?, format: WebP.PixelFormat = .rgba) -> Loader.Options {
    Loader.Options(decoding: .init(format: format, size: size))
  }

  private func found(_ size: WebP.OutputSize?, _ format: WebP.PixelFormat = .rgba) -> [Int] {
    guard let (loaded, isLargeEnough) = loader.imageInMemory(for: url, options: options(size, format: format))
    else { return [] }
    return [loaded.image.width, isLargeEnough ? 1 : 0]
  }

  /// The exact image, else the smallest larger one, else the largest smaller one.
  @Test func nearestSizesAreFound() async throws {
    #expect(found(nil) == [])
    for width in [10, 20, 30] { _ = try await loader.image(for: url, options: options(.fit(width: width))) }
    #expect(found(.fit(width: 20)) == [20, 1])
    #expect(found(.fit(width: 15)) == [20, 1] && found(.fit(width: 21)) == [30, 1])
    #expect(found(.fit(width: 1)) == [10, 1])
    #expect(found(.fit(width: 31)) == [30, 0] && found(nil) == [30, 0])
    // A box of 40 × 13 limits the height to 13 of 45, so the width to 19.4 of 67.
    #expect(found(.fit(width: 40, height: 13)) == [20, 1] && found(.fill(width: 10, height: 20)) == [30, 1])
    // Other formats and aspect ratios are other images.
    #expect(found(.fit(width: 20), .bgra) == [] && found(.exact(width: 20, height: 20)) == [])
    _ = try await loader.image(for: url, options: options(.exact(width: 60, height: 60)))
    #expect(found(.exact(width: 60, height: 60)) == [60, 1] && found(nil) == [30, 0])
    loader.removeDecodedImages()
    #expect(found(nil) == [])
  }

  @Test func transformedImagesHaveOneSize() async throws {
    var options = options(.fit(width: 20))
    options.transform = .init("down") { $0.oriented(.down) }
    _ = try await loader.image(for: url, options: options)
    #expect(loader.imageInMemory(for: url, options: options)?.isLargeEnough == true)
    options.decoding.size = .fit(width: 10)
    #expect(loader.imageInMemory(for: url, options: options) == nil && found(nil) == [])
  }

  /// Policies that require the server.
  @Test func policiesAreObserved() async throws {
    _ = try await loader.image(for: url)
    var request = URLRequest(url: url)
    #expect(loader.imageInMemory(for: request) != nil)
    request.cachePolicy = .reloadIgnoringLocalCacheData
    #expect(loader.imageInMemory(for: request) == nil)
    request.cachePolicy = .useProtocolCachePolicy
    request.setValue("no-cache", forHTTPHeaderField: "Cache-Control")
    #expect(loader.imageInMemory(for: request) == nil)
  }

  /// Evicted images are not found, and their keys are forgotten.
  @Test func evictedImagesAreNotFound() async throws {
    let decoded = DecodedImages(maximumBytes: 1000)
    let image = try await loader.image(for: url)
    let keys = [10, 20, 30].map { width in
      ImageKey(DownloadKey(URLRequest(url: url), .init()), options(.fit(width: width)))
    }
    for key in keys { decoded.store(image, key, cost: 400) }
    #expect(keys.map { decoded.image($0) != nil } == [false, true, true])
    #expect(decoded.nearest(to: keys[0])?.isLargeEnough == true)
    decoded.removeAll { $0 == keys[2] }
    #expect(keys.map { decoded.image($0) != nil } == [false, true, false])
    decoded.store(image, keys[0], cost: 2000)
    #expect(decoded.image(keys[0]) == nil)
  }

  /// The images of views are stored in another form, which is not copied.
  @Test func imagesOfViewsHaveTheSamePixels() async throws {
    let options = Loader.Options(
      decoding: .init(format: .bgraPremultiplied, size: .fit(width: 31), isUpright: true))
    let loaded = try await loader.image(for: url, options: options)
    let expected = try WebP.decode(picture, options: options.decoding)
    expectSame(loaded.image, expected)
    #expect(loaded.image.appliedOrientation != nil && loaded.drawable?.bytesPerRow == 128)
    expectSame(loader.imageInMemory(for: url, options: options)?.image.image, expected)
    let stored = (0..<2).map { _ in loader.imageInMemory(for: url, options: options)?.image.drawable?.bytes }
    #expect(unsafe stored[0] != nil && stored[0]?.bytes == stored[1]?.bytes)
  }
}
