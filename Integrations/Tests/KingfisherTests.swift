import Kingfisher
import Testing

@testable import KingfisherWebP

/// Proves that the coder serves Kingfisher's manager and its caches.
/// Expected values: libwebp's checksums, and sizes computed by hand.
@Suite struct KingfisherTests {
  private let manager = KingfisherManager()

  private func retrieve(
    _ data: Data, maximumSide: Int? = nil, _ options: KingfisherOptionsInfo = []
  ) throws -> UIImage {
    let options = WebPImageCoder.options(maximumSide: maximumSide) + options
    return try #require(manager.retrieveImage(forKey: "key", download: data, options: options)?.image)
  }

  @Test func imagesEqualLibwebp() throws {
    let data = try Reference.vector(image)
    let expected = try Reference.checksums(image)
    #expect([try retrieve(data).cgImage?.checksum] == expected)
    manager.clearMemoryCache()
    #expect([try retrieve(Data()).cgImage?.checksum] == expected)
  }

  @Test func framesEqualLibwebpAndHaveTheirDurations() throws {
    let data = try Reference.vector(animation)
    let expected = try Reference.checksums(animation)
    let animated = try retrieve(data)
    #expect(animated.cgImage?.checksum == expected[0])
    let source = try #require(Animator(animated)?.frameSource)
    #expect(source.data == data && source.frameCount == 5)
    for index in [3, 1, 4, 0] {
      #expect(source.frame(at: index, maxSize: nil)?.checksum == expected[index])
      #expect(source.duration(at: index) == 0.04)
    }
    #expect(source.frame(at: 5, maxSize: nil) == nil && source.duration(at: 5) == 0)
    let preloaded = try retrieve(data, [.preloadAllAnimationData])
    #expect(preloaded.images?.map { $0.cgImage?.checksum } == expected)
    #expect(abs(preloaded.duration - 0.2) < 1e-9)
  }

  @Test func imagesAreScaledAndOriented() throws {
    #expect(try retrieve(Reference.data(palette), maximumSide: 64).cgImage?.size == [64, 48])
    #expect(try retrieve(Reference.data(palette)).cgImage?.size == [640, 480])
    manager.clearMemoryCache()
    #expect(try retrieve(Data(), maximumSide: 64).cgImage?.size == [64, 48])
    let sideways = WebPImageCoder().process(item: .data(try Reference.data(rotated)), options: .init(nil))
    #expect(sideways?.imageOrientation == .right)
  }

  /// The result of the second request follows from its own options, independent of the first request.
  @Test(arguments: [false, true]) func optionsOfEarlierRequestsHaveNoEffect(isFromDisk: Bool) throws {
    let data = try Reference.vector(animation)
    let expected = try Reference.checksums(animation)
    let variants: [KingfisherOptionsInfo] = [[], [.onlyLoadFirstFrame], [.preloadAllAnimationData], [.scaleFactor(2)]]
    for first in variants {
      for second in variants {
        let manager = KingfisherManager()
        let results = try [first, second].map { options in
          if isFromDisk { manager.clearMemoryCache() }
          let all = WebPImageCoder.options() + options
          return try #require(manager.retrieveImage(forKey: "key", download: data, options: all))
        }
        let parsed = KingfisherParsedOptionsInfo(second)
        let image = results[1].image
        #expect(results[1].cacheType == (isFromDisk ? .disk : .memory))
        #expect((image.kf.frameSource != nil) == !(parsed.onlyLoadFirstFrame || parsed.preloadAllAnimationData))
        #expect((image.images?.count == 5) == parsed.preloadAllAnimationData)
        let first = image.images?.first ?? image
        #expect(first.cgImage?.checksum == expected[0] && first.scale == parsed.scaleFactor)
      }
    }
  }

  /// An image that was stored before with another processor, or with none.
  @Test func imagesOfOtherProcessorsAreLimited() throws {
    let data = try Reference.vector(animation)
    let animated = try #require(WebPImageCoder().process(item: .data(data), options: .init(nil)))
    manager.store(animated, forKey: "key")
    let limited = try retrieve(Data(), maximumSide: 10)
    #expect(limited.cgImage?.size.max() == 10)
    #expect(Animator(limited)?.frameSource.frameCount == 5)
    let still = UIImage(cgImage: CGImage(withoutPixels: 640, height: 480), scale: 1, orientation: .up)
    manager.store(still, forKey: "key")
    #expect(try retrieve(Data(), maximumSide: 64, [.scaleFactor(2)]).cgImage?.size == [64, 48])
  }

  /// The disk cache stores the file, also of an animation that was found in memory.
  @Test func diskCacheStoresTheFile() throws {
    let data = try Reference.vector(animation)
    _ = try retrieve(data)
    #expect(Array(manager.disk.values) == [data])
    let animated = try #require(WebPImageCoder().process(item: .data(data), options: .init(nil)))
    #expect(WebPImageCoder().data(with: animated, original: nil) == data)
    #expect(WebPImageCoder().originalDataUsed)
  }

  @Test func otherFormatsAreDecodedByKingfisher() {
    let data = Data("GIF89a and more".utf8)
    #expect(WebPImageCoder().process(item: .data(data), options: .init(nil)) == nil)
    #expect(WebPImageCoder().image(with: data, options: .init(nil)) == nil)
  }
}
