import ConformanceGenerator
import ConformanceSupport
import TestComparison
import Testing

@testable import PureWebP

/// Proves that crops, flips and output sizes are applied correctly.
/// Expected values: crops of reference images, and sizes computed by hand.
@Suite struct OutputCropTests {
  private static let formats: [WebP.PixelFormat] = [.rgba, .bgr, .argbPremultiplied, .rgb565, .yuv, .yuva, .luma]

  @Test(arguments: formats)
  func lossyCropActsAsSeparateImage(format: WebP.PixelFormat) throws {
    var random = SplitMix64(seed: 11)
    for _ in 0..<40 {
      let picture = PlainImage(
        width: .random(in: 1...50, using: &random), height: .random(in: 1...50, using: &random),
        hasAlpha: .random(using: &random), using: &random)
      let asked = randomCrop(picture.width, picture.height, using: &random)
      let even = WebP.Rectangle(x: asked.x & ~1, y: asked.y & ~1, width: asked.width, height: asked.height)
      let part = picture.cropped(to: even)
      let options = WebP.DecodeOptions(
        format: format, upsampling: .random(using: &random) ? .fancy : .nearest, crop: asked)
      let expected =
        format.isPlanar
        ? part.planes(as: format) : plainPacked(part.rgba(options.upsampling), as: format)
      for sizes in [(2, 2), (8, 16)] {
        let written = try write(picture, options, inBatchesOf: sizes, gap: 3, using: &random)
        expectSame(written, expected, "\(asked) of \(picture.width) × \(picture.height)")
      }
    }
  }

  @Test(arguments: formats)
  func losslessCropIsExact(format: WebP.PixelFormat) throws {
    var random = SplitMix64(seed: 12)
    for _ in 0..<40 {
      let width = Int.random(in: 1...50, using: &random)
      let height = Int.random(in: 1...50, using: &random)
      let rgba = random.extremeBytes(4 * width * height)
      let crop = randomCrop(width, height, using: &random)
      var part: [UInt8] = []
      for row in crop.y..<crop.y + crop.height {
        let start = 4 * (row * width + crop.x)
        part += rgba[start..<start + 4 * crop.width]
      }
      let options = WebP.DecodeOptions(format: format, crop: crop)
      let expected =
        format.isPlanar
        ? plainPlanes(rgba: part, width: crop.width, height: crop.height, as: format)
        : plainPacked(part, as: format)
      for sizes in [(1, 1), (3, 5), (16, 16)] {
        let written = try write(rgba: rgba, width: width, height: height, options, inBatchesOf: sizes, gap: 1)
        expectSame(written, expected, "\(crop) of \(width) × \(height)")
      }
    }
  }

  @Test func cropsOutsideOfTheImageAreRejected() {
    for (crop, isLossy) in [
      (WebP.Rectangle(x: -1, y: 0, width: 2, height: 2), true), (.init(x: 0, y: -2, width: 2, height: 2), false),
      (.init(x: 0, y: 0, width: 0, height: 1), true), (.init(x: 0, y: 0, width: 1, height: -1), true),
      (.init(x: 3, y: 0, width: 7, height: 1), false), (.init(x: 4, y: 0, width: 6, height: 1), true),
      (.init(x: 0, y: .max, width: 1, height: 1), true), (.init(x: .max, y: 0, width: .max, height: 1), false),
    ] {
      let options = WebP.DecodeOptions(crop: crop)
      let error = #expect(throws: WebP.DecodeError.self) {
        try OutputWriter(width: 9, height: 9, isLossy: isLossy, options: options, stride: nil)
      }
      #expect(error?.kind == .invalidOptions)
    }
    // The crop of a lossy image moves to an even x, where the same width fits.
    let options = WebP.DecodeOptions(crop: WebP.Rectangle(x: 3, y: 1, width: 7, height: 9))
    #expect(throws: Never.self) { try OutputWriter(width: 9, height: 9, isLossy: true, options: options, stride: nil) }
  }

  /// The size of the output may depend on the sides of the crop, whose products exceed 64 bits here.
  @Test(arguments: [1, 9, 1 << 14, Int.max])
  func largeCropsAreRejectedAlsoIfTheOutputIsScaled(side: Int) throws {
    let animation = try Array(Conformance.vector("animation-random-7.webp"))
    let still = try Array(Conformance.vector("encoder-cwebp-q75.webp"))
    for (width, height) in [(Int.max, 9), (9, .max), (.max, .max), (.max - 1, 1 << 32)] {
      let crop = WebP.Rectangle(x: 0, y: 0, width: width, height: height)
      for size in [
        WebP.OutputSize.exact(width: side, height: nil), .fit(width: side, height: side),
        .fit(width: side, height: 2, enlarges: true), .fill(width: 2, height: side, enlarges: true),
        .fill(width: nil, height: side),
      ] {
        let options = WebP.DecodeOptions(crop: crop, size: size)
        for file in [animation, still] {
          let error = #expect(throws: WebP.DecodeError.self) { try WebP.decode(file, options: options) }
          #expect(error?.kind == .invalidOptions, "\(crop), \(size)")
        }
      }
    }
  }

  @Test(arguments: formats)
  func flippedImageHasItsRowsReversed(format: WebP.PixelFormat) throws {
    var random = SplitMix64(seed: 13)
    for height in [1, 2, 7, 20] {
      let picture = PlainImage(width: 9, height: height, hasAlpha: true, using: &random)
      var options = WebP.DecodeOptions(format: format)
      let upright = try write(picture, options, inBatchesOf: (8, 16), using: &random)
      options.flipsVertically = true
      let flipped = try write(picture, options, inBatchesOf: (8, 16), gap: 2, using: &random)
      let layout = try #require(WebP.Layout(format: format, width: 9, height: height))
      var expected: [UInt8] = []
      for plane in layout.planes {
        for row in (0..<plane.rows).reversed() {
          let start = plane.offset + row * plane.rowBytes
          expected += upright[start..<start + plane.rowBytes]
        }
      }
      expectSame(flipped, expected)
    }
  }

  @Test func sizesPreserveTheAspectRatio() {
    func size(_ size: WebP.OutputSize, _ width: Int, _ height: Int) -> [Int]? {
      size.size(for: .init(width: width, height: height)).map { [$0.width, $0.height] }
    }
    #expect(size(.exact(width: 5, height: 7), 100, 100) == [5, 7])
    // ⌈100 · 7 / 30⌉, ⌈30 · 7 / 100⌉
    #expect(size(.exact(height: 7), 100, 30) == [24, 7])
    #expect(size(.exact(width: 7), 100, 30) == [7, 3])
    #expect(size(.exact(), 100, 30) == nil)
    #expect(size(.exact(width: 0, height: 7), 100, 30) == nil)
    #expect(size(.exact(width: -1, height: 5), 100, 30) == nil)
    #expect(size(.exact(width: 1 << 30, height: 5), 100, 30) == nil)
    #expect(size(.exact(width: 1 << 29), 1, 16383) == nil)
    #expect(size(.fit(width: 50, height: 50), 100, 30) == [50, 15])
    #expect(size(.fit(width: 50, height: 10), 100, 30) == [33, 10])
    #expect(size(.fit(width: 10, height: 10), 16383, 1) == [10, 1])
    #expect(size(.fill(width: 50, height: 20), 100, 30) == [67, 20])
    #expect(size(.fill(width: 20, height: 50), 30, 100) == [20, 67])
    #expect(size(.fit(width: .max, height: .max), 100, 30) == [100, 30])
    #expect(size(.fit(width: .max, height: 10), 100, 30) == [33, 10])
    #expect(size(.fill(width: 20, height: .max), 100, 30) == [100, 30])
    #expect(size(.fill(width: .max), 100, 30) == [100, 30])
    #expect(size(.fit(width: .max, height: 10, enlarges: true), 100, 30) == nil)
    #expect(size(.fit(width: .max, height: 0), 100, 30) == nil)
    #expect(size(.fit(width: 0, height: 10), 100, 30) == nil)
    #expect(size(.fit(width: -1), 100, 30) == nil)
    // Canvases of the largest size: products beyond 32 bits.
    #expect(size(.fit(width: 320, height: 320), 1 << 24, 1) == [320, 1])
    #expect(size(.fill(width: 1, height: 1), 1, 1 << 24) == [1, 1 << 24])
    #expect(size(.fill(width: 2, height: 2, enlarges: true), 1, 1 << 24) == nil)
    #expect(size(.fill(width: 320, height: 320, enlarges: true), 1 << 24, 1) == nil)
    #expect(size(.exact(height: 3), 1, 1 << 24) == [1, 3])
  }

  @Test func onlyEnlargingSizesEnlarge() {
    func size(_ size: WebP.OutputSize) -> [Int]? {
      size.size(for: .init(width: 100, height: 30)).map { [$0.width, $0.height] }
    }
    #expect(size(.fit(width: 300, height: 300)) == [100, 30])
    #expect(size(.fit(width: 300, height: 300, enlarges: true)) == [300, 90])
    #expect(size(.fit(width: 300, height: 15)) == [50, 15])
    #expect(size(.fill(width: 50, height: 50)) == [100, 30])
    #expect(size(.fill(width: 50, height: 50, enlarges: true)) == [167, 50])
    #expect(size(.fill(width: 200, height: 10)) == [100, 30])
    #expect(size(.fill(width: 200, height: 10, enlarges: true)) == [200, 60])
    #expect(size(.fit(width: 100, height: 300, enlarges: true)) == [100, 30])
  }

  @Test func oneBoundSuffices() {
    func size(_ size: WebP.OutputSize) -> [Int]? {
      size.size(for: .init(width: 100, height: 30)).map { [$0.width, $0.height] }
    }
    // 100 · 7 / 30 = 23.3
    #expect(size(.fit(height: 7)) == [23, 7] && size(.fill(height: 7)) == [23, 7])
    #expect(size(.fit(width: 50)) == [50, 15] && size(.fill(width: 50)) == [50, 15])
    #expect(size(.fit(width: 200)) == [100, 30] && size(.fit(height: 31)) == [100, 30])
    #expect(size(.fit(width: 200, enlarges: true)) == [200, 60])
    #expect(size(.fill(height: 60, enlarges: true)) == [200, 60])
    #expect(size(.fit()) == [100, 30] && size(.fill()) == [100, 30])
    #expect(size(.fit(enlarges: true)) == nil)
  }

  /// If these bounds were accepted, the product of a bound and a side of the image could exceed 64 bits.
  @Test(arguments: [Int.min, -1, 0, 1 << 24 + 1, .max])
  func invalidBoundsAreRejected(_ bound: Int) {
    for size in [
      WebP.OutputSize.fit(width: bound, enlarges: true), .fit(height: bound, enlarges: true),
      .fill(width: bound, enlarges: true), .fill(height: bound, enlarges: true),
      .fit(width: bound, height: 20, enlarges: true), .fill(width: 20, height: bound, enlarges: true),
      .exact(width: bound),
    ] {
      #expect(size.size(for: .init(width: 100, height: 30)) == nil)
    }
  }

  /// The crop of a lossy image moves to even coordinates, so a crop at 1 may be as large as the image.
  @Test func sizesAndLayoutsAreKnownBeforeDecoding() throws {
    for (name, isLossy) in [("encoder-cwebp-q75.webp", true), ("encoder-cwebp-lossless-z6.webp", false)] {
      let file = try Conformance.vector(name)
      let info = try WebP.info(file)
      var options = WebP.DecodeOptions(crop: WebP.Rectangle(x: 1, y: 1, width: info.width, height: info.height))
      let outputs: [(WebP.OutputSize?, WebP.PixelFormat)] = [(nil, .rgba), (.fit(width: 21, height: 1000), .yuva)]
      for (size, format) in outputs {
        options.size = size
        options.format = format
        let image = try? WebP.decode(file, options: options)
        #expect((image != nil) == isLossy)
        let expected = try? options.outputSize(for: info)
        #expect(expected?.width == image?.width && expected?.height == image?.height)
        #expect((try? options.layout(for: info)) == image?.layout)
      }
      options.crop = nil
      var pixels = [UInt8](repeating: 0, count: try options.layout(for: info, stride: 30).byteCount)
      let layout = try WebP.decode(file, into: &pixels, stride: 30, options: options)
      #expect(layout == (try options.layout(for: info, stride: 30)) && layout.planes[0].stride == 30)
      #expect(throws: WebP.DecodeError.self) { try options.layout(for: info, stride: 20) }
    }
  }

  @Test func sizeBeyondTheLimitsIsRejected() {
    var options = WebP.DecodeOptions(size: .exact(width: 10, height: 100), limits: .init(maximumPixels: 1000))
    #expect(throws: Never.self) { try OutputWriter(width: 1, height: 90, isLossy: true, options: options, stride: nil) }
    // 10 × 1000, by the aspect ratio of the image.
    options.size = .exact(width: 10)
    let error = #expect(throws: WebP.DecodeError.self) {
      try OutputWriter(width: 1, height: 100, isLossy: true, options: options, stride: nil)
    }
    #expect(error?.kind == .limitExceeded)
  }

  /// Each row of an image is first scaled to the output's width. Therefore many rows and many columns cause work in
  /// proportion to their product, even if the image and the output are small.
  @Test func scalingWorkIsLimited() {
    let options = WebP.DecodeOptions(size: .exact(width: 1000, height: 1), limits: .init(maximumPixels: 10_000))
    #expect(throws: Never.self) { try OutputWriter(width: 1, height: 10, isLossy: true, options: options, stride: nil) }
    let error = #expect(throws: WebP.DecodeError.self) {
      try OutputWriter(width: 1, height: 11, isLossy: true, options: options, stride: nil)
    }
    #expect(error?.kind == .limitExceeded)
  }

  @Test func loopFilterIsSkippedBelowThreeQuarters() throws {
    var options = WebP.DecodeOptions()
    // The thresholds depend on the size of the image, not of the crop: ⌊3 · 101 / 4⌋ = 75 and ⌊3 · 50 / 4⌋ = 37.
    options.crop = WebP.Rectangle(x: 0, y: 0, width: 10, height: 10)
    for (width, height, expected) in [(74, 36, true), (75, 36, false), (74, 37, false)] {
      options.size = .exact(width: width, height: height)
      let output = try OutputWriter(width: 101, height: 50, isLossy: true, options: options, stride: nil)
      #expect(output.geometry.hidesLoopFilter == expected)
    }
  }

  private func randomCrop(_ width: Int, _ height: Int, using random: inout SplitMix64) -> WebP.Rectangle {
    let x = Int.random(in: 0..<width, using: &random)
    let y = Int.random(in: 0..<height, using: &random)
    return WebP.Rectangle(
      x: x, y: y, width: .random(in: 1...width - x, using: &random), height: .random(in: 1...height - y, using: &random)
    )
  }
}
