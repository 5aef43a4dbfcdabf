import SDWebImage
import Testing

@testable import SDWebImageWebP

@Suite struct SDWebImageTests {
  private func decode(_ data: Data, _ options: [SDImageCoderOption: Any]? = nil) -> UIImage? {
    let manager = SDImageCodersManager()
    manager.addCoder(WebPCoder())
    return manager.decodedImage(with: data, options: options)
  }

  @Test func imagesEqualLibwebp() throws {
    let decoded = try #require(decode(try Reference.vector(image), [.decodeScaleFactor: CGFloat(2)]))
    #expect([decoded.cgImage?.checksum] == (try Reference.checksums(image)))
    #expect(decoded.scale == 2)
  }

  @Test func framesEqualLibwebpAndHaveTheirDurations() throws {
    let data = try Reference.vector(animation)
    let expected = try Reference.checksums(animation)
    #expect(decode(data)?.images?.map { $0.cgImage?.checksum } == expected)
    #expect(decode(data, [.decodeFirstFrameOnly: true])?.cgImage?.checksum == expected[0])
    let coder = try #require(WebPCoder(animatedImageData: data, options: nil))
    #expect(coder.animatedImageFrameCount == 5)
    #expect(coder.animatedImageLoopCount == 0)
    for index in [3, 1, 4] as [UInt] {
      #expect(coder.animatedImageFrame(at: index)?.cgImage?.checksum == expected[Int(index)])
      #expect(coder.animatedImageDuration(at: index) == 0.04)
    }
  }

  @Test func imagesAreScaledAndOriented() throws {
    let data = try Reference.data(palette)
    let box = CGSize(width: 64, height: 1000)
    #expect(decode(data, [.decodeThumbnailPixelSize: box])?.cgImage?.size == [64, 48])
    #expect(decode(data, [.decodeThumbnailPixelSize: CGSize(width: 9999, height: 9999)])?.cgImage?.size == [640, 480])
    // A quarter of the pixels, 4 bytes each.
    #expect(decode(data, [.decodeScaleDownLimitBytes: 320 * 240 * 4])?.cgImage?.size == [320, 240])
    // The box is for the upright image, whose width is the height of the stored one: 45.
    let upright = decode(try Reference.data(rotated), [.decodeThumbnailPixelSize: CGSize(width: 15, height: 1000)])
    #expect(upright?.imageOrientation == .right)
    #expect(upright?.cgImage?.height == 15)
  }

  @Test func previewsHaveTheRowsSoFar() throws {
    let data = try Reference.data(palette)
    let coder = WebPCoder(incrementalWithOptions: nil)
    #expect(coder.incrementalDecodedImage(with: nil) == nil)
    coder.updateIncrementalData(data.prefix(data.count / 2), finished: false)
    let preview = try #require(coder.incrementalDecodedImage(with: nil)?.cgImage)
    coder.updateIncrementalData(data, finished: true)
    let complete = try #require(coder.incrementalDecodedImage(with: nil)?.cgImage)
    #expect(complete.pixels == decode(data)?.cgImage?.pixels)
    let common = zip(preview.pixels, complete.pixels).prefix { $0 == $1 }.count
    #expect(common > 0 && common < complete.pixels.count)
    #expect(preview.pixels.dropFirst(common).allSatisfy { $0 == 0 })
  }

  @Test func otherFormatsHaveOtherCoders() {
    #expect(!WebPCoder().canDecode(from: Data("GIF89a and more".utf8)))
    #expect(!WebPCoder().canEncode(to: .webP))
  }
}
