import Foundation
import TestComparison
import TestSupport
import Testing

@testable import PureWebP

/// Proves that several sizes from one decoding have the pixels of separate decodings.
/// Expected values: `WebP.decode` with each size, whose pixels other suites compare with libwebp's.
@Suite struct SizesTests {
  /// Lossy and lossless images with and without alpha, of odd sizes, and with every strength of the loop filter.
  private static let files = try! FileManager.default.contentsOfDirectory(atPath: TestFile.vectors.path).filter {
    name in
    ["encoder-cwebp", "encoder-img2webp", "options-", "alpha-gradient", "alpha-palette", "vp8l-large"].contains {
      name.hasPrefix($0)
    }
  }.sorted()

  /// Sizes that keep the image, enlarge it, keep the loop filter, and skip it.
  private static let sizes: [WebP.OutputSize] = [
    .fit(width: 20, height: 20), .fit(width: 1000, height: 1000), .fit(width: 60, height: 200),
    .exact(width: 7, height: 90),
    .fill(width: 33, height: 5), .exact(width: 100, height: nil),
  ]

  @Test(arguments: files)
  func sizesEqualSeparateDecodings(_ name: String) throws {
    let bytes = [UInt8](try TestFile.vector(name))
    guard let info = try? WebP.info(bytes), (try? WebP.decode(bytes)) != nil else { return }
    var options = [
      WebP.DecodeOptions(), .init(format: .bgr, upsampling: .nearest), .init(format: .rgb, background: 0x123456),
      .init(flipsVertically: true),
    ]
    // The others differ in the loop filter, which no format changes.
    let formats: [WebP.PixelFormat] = name.hasPrefix("options-") ? [.yuva] : WebP.PixelFormat.allCases
    options += formats.map { .init(format: $0) }
    if info.width > 4, info.height > 4 {
      options.append(.init(format: .rgb, crop: .init(x: 1, y: 1, width: info.width - 2, height: info.height - 3)))
    }
    for options in options {
      let images = try WebP.decode(bytes, sizes: Self.sizes, options: options)
      #expect(images.count == Self.sizes.count)
      for (size, image) in zip(Self.sizes, images) {
        var single = options
        single.size = size
        try expectSame(image, WebP.decode(bytes, options: single), "\(name), \(size)")
      }
    }
  }

  /// The orientation swaps the sides of the sizes.
  @Test func sizesReferToTheUprightImage() throws {
    let picture = PixelGrid(
      width: 30, height: 20, pixels: (0..<600).map { SIMD4(UInt8($0 % 251), UInt8($0 % 7), 9, 255) })
    let file = FileWriter.riff(
      FileWriter.vp8X(flags: 0x08, width: 30, height: 20), FileWriter.chunk("VP8L", FileWriter.vp8L(picture)),
      FileWriter.chunk("EXIF", Exif.turnedRight))
    let images = try WebP.decode(file, sizes: Self.sizes, options: .init(isUpright: true))
    for (size, image) in zip(Self.sizes, images) {
      try expectSame(image, WebP.decode(file, options: .init(size: size, isUpright: true)))
      #expect(image.appliedOrientation == .right)
    }
    #expect(images[0].width == 13 && images[0].height == 20)
  }

  /// Scaling a decoded image equals decoding a lossless file of the same pixels with the size.
  @Test(arguments: ["encoder-cwebp-lossless-z6-alpha.webp", "encoder-cwebp-q75.webp"])
  func scaledImagesEqualLosslessFiles(_ name: String) throws {
    let image = try WebP.decode(TestFile.vector(name))
    let pixels = stride(from: 0, to: image.pixels.count, by: 4).map { start in
      SIMD4(image.pixels[start], image.pixels[start + 1], image.pixels[start + 2], image.pixels[start + 3])
    }
    let grid = PixelGrid(width: image.width, height: image.height, pixels: pixels)
    let file = FileWriter.riff(FileWriter.chunk("VP8L", FileWriter.vp8L(grid)))
    for size in Self.sizes { try expectSame(image.scaled(to: size), WebP.decode(file, options: .init(size: size))) }
    #expect(throws: WebP.DecodeError.self) { try image.scaled(to: .fit(width: 0)) }
    #expect(throws: WebP.DecodeError.self) { try image.scaled(to: .exact(width: 1 << 20, height: 1 << 20)) }
  }

  @Test func invalidSizesAreRejected() throws {
    let bytes = [UInt8](try TestFile.vector("encoder-cwebp-q75.webp"))
    for size in [WebP.OutputSize.fit(width: 0, height: 3), .exact(width: 1 << 25, height: 1)] {
      #expect(throws: WebP.DecodeError.self) { try WebP.decode(bytes, sizes: [size]) }
    }
    #expect(throws: WebP.DecodeError.self) {
      try WebP.decode(bytes.prefix(300), sizes: Self.sizes)
    }
  }
}
