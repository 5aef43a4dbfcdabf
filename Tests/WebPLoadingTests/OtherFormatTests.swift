import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that images of other formats are cropped, scaled and converted like WebP images, or rejected with their name.
/// Expected values: the decoded pixels of lossless WebP files, and computed samples.
@Suite struct OtherFormatTests {
  private static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 0, count: 100))

  static let options: [WebP.DecodeOptions] = [
    .init(), .init(format: .bgraPremultiplied), .init(format: .rgb565), .init(format: .yuva),
    .init(crop: .init(x: 3, y: 5, width: 20, height: 11)), .init(size: .exact(width: 20, height: 10)),
    .init(size: .fit(width: 31)), .init(flipsVertically: true),
    .init(
      format: .argb, crop: .init(x: 1, y: 2, width: 50, height: 40), size: .fill(width: 24, height: 24),
      flipsVertically: true),
  ]

  @Test(arguments: options, ["encoder-pillow-lossless.webp", "encoder-cwebp-lossless-z6-alpha.webp"])
  func rastersAreConvertedLikeLosslessImages(options: WebP.DecodeOptions, name: String) async throws {
    let webP = try Fixtures.bytes(name)
    let plain = try WebP.decode(webP)
    let raster = Raster(width: plain.width, height: plain.height, pixels: plain.pixels)
    let expected = try WebP.decode(webP, options: options)
    #expect(try raster.image(options) == expected)

    var decoding = ImageDecoding(options: options) { file, _ in file == Self.png ? raster : nil }
    for count in [1, 9, Self.png.count] { #expect(try decoding.readHeaders(Self.png.prefix(count)) == nil) }
    #expect(try decoding.decodeStep(Self.png, isComplete: true) == false)
    let decoded = try decoding.finish(Self.png)
    expectSame(decoded.image, expected)
    #expect(decoded.animation == nil)
  }

  /// A system that has a decoder, but not for this file.
  @Test func filesThatTheSystemCannotDecodeAreNamed() throws {
    var decoding = ImageDecoding(options: .init()) { _, _ in nil }
    #expect(try decoding.readHeaders(Self.png) == nil)
    #expect { try decoding.finish(Self.png) } throws: { ($0 as? WebP.DecodeError)?.otherFormat == "a PNG image" }
  }

  @Test func optionsThatDoNotFitAreRejected() throws {
    let raster = Raster(width: 2, height: 2, pixels: ContiguousArray(repeating: 9, count: 16))
    for options in [
      WebP.DecodeOptions(crop: .init(x: 1, y: 0, width: 2, height: 1)), .init(size: .exact(width: 0, height: -1)),
    ] { #expect(throws: WebP.DecodeError.self) { try raster.image(options) } }
    let limits = WebP.Limits(maximumPixels: 100)
    #expect(throws: Never.self) { try Raster.check(width: 10, height: 10, fileLength: 9, limits) }
    for (width, height) in [(101, 1), (.max, 2), (.max, .max)] {
      #expect(throws: URLError.self) { try Raster.check(width: width, height: height, fileLength: 9, limits) }
    }
  }

  /// Each sample is the rounded quotient, at most 255.
  @Test func alphaIsDividedOut() {
    let pixels: [(premultiplied: [UInt8], straight: [UInt8])] = [
      ([1, 2, 3, 255], [1, 2, 3, 255]), ([7, 8, 9, 0], [7, 8, 9, 0]), ([64, 128, 0, 128], [128, 255, 0, 128]),
      ([1, 2, 3, 3], [85, 170, 255, 3]), ([200, 0, 10, 100], [255, 0, 26, 100]),
    ]
    var raster = Raster(width: pixels.count, height: 1, pixels: ContiguousArray(pixels.flatMap(\.premultiplied)))
    raster.divideByAlpha()
    expectSame(Array(raster.pixels), pixels.flatMap(\.straight))
  }
}
