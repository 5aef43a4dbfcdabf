import Kingfisher
import Testing

@testable import KingfisherWebP

@Suite struct KingfisherTests {
  @Test func imagesEqualLibwebp() throws {
    let data = try Reference.vector(image)
    let coder = WebPImageCoder()
    let expected = try Reference.checksums(image)
    #expect([coder.process(item: .data(data), options: .init())?.cgImage?.checksum] == expected)
    #expect([coder.image(with: data, options: .init())?.cgImage?.checksum] == expected)
  }

  @Test func framesEqualLibwebpAndHaveTheirDurations() throws {
    let data = try Reference.vector(animation)
    let animated = try #require(WebPImageCoder().process(item: .data(data), options: .init()))
    #expect(animated.images?.map { $0.cgImage?.checksum } == (try Reference.checksums(animation)))
    #expect(abs(animated.duration - 0.2) < 1e-9)
    var options = KingfisherParsedOptionsInfo()
    options.onlyLoadFirstFrame = true
    let first = try #require(WebPImageCoder().process(item: .data(data), options: options))
    #expect(first.cgImage?.checksum == (try Reference.checksums(animation).first))
  }

  @Test func imagesAreScaledAndOriented() throws {
    let coder = WebPImageCoder(maximumSide: 64)
    #expect(coder.identifier != WebPImageCoder().identifier)
    let scaled = coder.process(item: .data(try Reference.data(palette)), options: .init())
    #expect(scaled?.cgImage?.size == [64, 48])
    let sideways = WebPImageCoder().process(item: .data(try Reference.data(rotated)), options: .init())
    #expect(sideways?.imageOrientation == .right)
  }

  @Test func diskCacheStoresTheFile() throws {
    let data = try Reference.vector(image)
    let coder = WebPImageCoder()
    let decoded = try #require(coder.process(item: .data(data), options: .init()))
    #expect(coder.data(with: decoded, original: data) == data)
    #expect(coder.originalDataUsed)
  }

  @Test func otherFormatsAreDecodedByKingfisher() {
    #expect(WebPImageCoder().process(item: .data(Data("GIF89a and more".utf8)), options: .init()) == nil)
    #expect(WebPImageCoder().image(with: Data("GIF89a and more".utf8), options: .init()) == nil)
  }
}
