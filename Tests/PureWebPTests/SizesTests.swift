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
    ["encoder-cwebp", "options-", "alpha-gradient", "alpha-palette", "vp8l-large"].contains { name.hasPrefix($0) }
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
    guard let info = try? WebP.info(bytes), !info.isAnimated, (try? WebP.decode(bytes)) != nil else { return }
    var options = [
      WebP.DecodeOptions(), .init(format: .bgr, upsampling: .nearest), .init(format: .rgb, background: 0x123456),
      .init(flipsVertically: true),
    ]
    if info.width > 4, info.height > 4 {
      options.append(.init(format: .rgb, crop: .init(x: 1, y: 1, width: info.width - 2, height: info.height - 3)))
    }
    for options in options {
      let images = try WebP.decode(bytes, options: options, sizes: Self.sizes)
      #expect(images.count == Self.sizes.count)
      for (size, image) in zip(Self.sizes, images) {
        var single = options
        single.size = size
        try expectSame(image, WebP.decode(bytes, options: single), "\(name), \(size)")
      }
    }
  }

  @Test func invalidSizesAreRejected() throws {
    let bytes = [UInt8](try TestFile.vector("encoder-cwebp-q75.webp"))
    for size in [WebP.OutputSize.fit(width: 0, height: 3), .exact(width: 1 << 25, height: 1)] {
      #expect(throws: WebP.DecodeError.self) { try WebP.decode(bytes, options: .init(), sizes: [size]) }
    }
    #expect(throws: WebP.DecodeError.self) {
      try WebP.decode(Array(bytes.prefix(300)), options: .init(), sizes: Self.sizes)
    }
  }
}
