import ConformanceSupport
import Foundation
import PureWebP
import TestComparison
import Testing

/// Proves that images can be decoded into the caller's memory and created from the caller's pixels.
/// Expected values: the result of `WebP.decode`, and the documented bounds.
@Suite struct ImageTests {
  @Test(arguments: WebP.PixelFormat.allCases) func imagesAreDecodedIntoTheCallersMemory(format: WebP.PixelFormat) throws
  {
    let bytes = try Conformance.vector("encoder-cwebp-alpha-best.webp")
    let options = WebP.DecodeOptions(format: format)
    let image = try WebP.decode(bytes, options: options)
    var pixels = [UInt8](repeating: 0, count: image.layout.byteCount)
    try WebP.decode(bytes, into: &pixels, options: options)
    func made(of pixels: some Collection<UInt8>) -> WebP.Image? {
      WebP.Image(width: image.width, height: image.height, format: format, pixels: pixels)
    }
    expectSame(made(of: pixels), image)
    expectSame(made(of: Data(pixels)), image)
    #expect(made(of: pixels.dropLast()) == nil && made(of: pixels + [0]) == nil)
  }

  @Test(arguments: [
    (0, 5, 0), (5, 0, 0), (-2, -3, 6), (.max, 1, 4), (1, .max, 4), (.max, .max, 4),
    ((1 << 24) + 1, 1, (1 << 26) + 4), (1, (1 << 24) + 1, (1 << 26) + 4),
  ]) func invalidSidesAreRejected(width: Int, height: Int, count: Int) {
    let pixels = repeatElement(0 as UInt8, count: count)
    #expect(WebP.Image(width: width, height: height, format: .rgba, pixels: pixels) == nil)
  }

  @Test func signaturesAreRecognized() {
    let signature = Array("RIFF1234WEBP".utf8)
    #expect(WebP.isWebP(prefix: signature) && WebP.isWebP(prefix: Data(signature + [0])))
    #expect(WebP.isWebP(prefix: ([0] + signature).dropFirst()))
    for other in ["", "RIFF1234WEB", "RIFF1234WAVE", "RIFX1234WEBP", "VP8 1234WEBP"] {
      #expect(!WebP.isWebP(prefix: Array(other.utf8)))
    }
  }

  @Test func pixelsHaveTheOrderOfTheFormat() throws {
    let packed = try #require(WebP.Image(width: 2, height: 2, format: .bgr, pixels: 0..<12 as Range<UInt8>))
    #expect(packed[0, 0] == [0, 1, 2] && packed[1, 0] == [3, 4, 5] && packed[1, 1] == [9, 10, 11])
    let planar = try #require(WebP.Image(width: 3, height: 3, format: .yuva, pixels: 0..<26 as Range<UInt8>))
    #expect(planar[0, 0] == [0, 9, 13, 17] && planar[2, 1] == [5, 10, 14, 22] && planar[2, 2] == [8, 12, 16, 25])
  }

  /// Compares with the crop option of the decoder. Lossy images are tested in planar formats, because in RGB formats
  /// the decoder upsamples after cropping.
  @Test(arguments: [
    ("encoder-cwebp-alpha-best.webp", WebP.PixelFormat.yuva), ("encoder-cwebp-alpha-best.webp", .yuv),
    ("encoder-cwebp-lossless-z6-alpha.webp", .rgba), ("encoder-cwebp-lossless-z6-alpha.webp", .rgb565),
  ])
  func croppedImagesEqualCroppedDecoding(name: String, format: WebP.PixelFormat) throws {
    let bytes = try Conformance.vector(name)
    let image = try WebP.decode(bytes, options: .init(format: format))
    for (x, y, width, height) in [(0, 0, 1, 1), (3, 5, 8, 7), (2, 4, image.width - 2, image.height - 4)] {
      let crop = WebP.Rectangle(x: x, y: y, width: width, height: height)
      try expectSame(image.cropped(to: crop), WebP.decode(bytes, options: .init(format: format, crop: crop)))
    }
    for (x, y, width, height) in [(-1, 0, 2, 2), (0, 0, 0, 1), (0, 0, image.width + 1, 1), (1, .max, 1, 2)] {
      #expect(image.cropped(to: .init(x: x, y: y, width: width, height: height)) == nil)
    }
  }
}
