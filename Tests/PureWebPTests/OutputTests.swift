import ConformanceGenerator
import TestComparison
import Testing

@testable import PureWebP

/// Proves that all formats are written correctly, for rows in batches of any size.
/// Expected values: `PlainImage` and related functions, which apply the formulas to one pixel at a time.
@Suite struct OutputTests {
  @Test(arguments: [WebP.DecodeOptions.Upsampling.fancy, .nearest])
  func lossyImagesOfEveryWidthMatchTheReference(upsampling: WebP.DecodeOptions.Upsampling) throws {
    var random = SplitMix64(seed: 1)
    for width in 1...70 {
      for height in [1, 2, 3, 6, 19] {
        let picture = PlainImage(width: width, height: height, hasAlpha: width % 2 == height % 2, using: &random)
        let expected = picture.rgba(upsampling)
        for format in [WebP.PixelFormat.rgba, .bgra] {
          try check(picture, format, upsampling, equals: plainPacked(expected, as: format), using: &random)
        }
      }
    }
  }

  @Test(arguments: WebP.PixelFormat.allCases)
  func lossyImagesInEveryFormatMatchTheReference(format: WebP.PixelFormat) throws {
    var random = SplitMix64(seed: 2)
    for (width, height) in [(1, 1), (2, 2), (3, 5), (16, 16), (33, 40), (35, 7), (66, 3)] {
      for hasAlpha in [false, true] {
        let picture = PlainImage(width: width, height: height, hasAlpha: hasAlpha, using: &random)
        for upsampling in [WebP.DecodeOptions.Upsampling.fancy, .nearest] {
          let expected =
            format.isPlanar || format == .gray8
            ? picture.planes(as: format) : plainPacked(picture.rgba(upsampling), as: format)
          try check(picture, format, upsampling, equals: expected, using: &random)
        }
      }
    }
  }

  @Test(arguments: WebP.PixelFormat.allCases)
  func losslessImagesInEveryFormatMatchTheReference(format: WebP.PixelFormat) throws {
    var random = SplitMix64(seed: 3)
    for (width, height) in [(1, 1), (1, 4), (2, 2), (3, 5), (4, 3), (16, 17), (37, 20), (70, 2)] {
      let rgba = random.extremeBytes(4 * width * height)
      let expected =
        format.isPlanar
        ? plainPlanes(rgba: rgba, width: width, height: height, as: format)
        : plainPacked(rgba, as: format)
      let options = WebP.DecodeOptions(format: format)
      for (first, next) in [(height, 1), (1, 1), (2, 3), (16, 16)] {
        for gap in [0, 5] {
          let written = try write(
            rgba: rgba, width: width, height: height, options, inBatchesOf: (first, next), gap: gap)
          expectSame(written, expected, "\(width) × \(height), batches of \(first), \(next)")
        }
      }
    }
  }

  @Test func finishedRowsWaitForTheNextChromaRow() throws {
    var random = SplitMix64(seed: 4)
    let picture = PlainImage(width: 5, height: 24, hasAlpha: false, using: &random)
    for (upsampling, expected) in [(WebP.DecodeOptions.Upsampling.fancy, [7, 24]), (.nearest, [8, 24])] {
      let options = WebP.DecodeOptions(upsampling: upsampling)
      var output = try OutputWriter(width: 5, height: 24, isLossy: true, options: options, stride: nil)
      var memory = ContiguousArray<UInt8>(repeating: 0, count: output.layout.byteCount)
      var finished: [Int] = []
      for rows in [0..<8, 8..<24] {
        let (yuv, alpha) = picture.rows(rows, using: &random)
        var pixels = memory.mutableSpan
        output.write(yuv, alpha: alpha.span, into: &pixels)
        finished.append(output.finishedRows)
      }
      expectSame(finished, expected)
    }
  }

  @Test func onlyRGBAIsWrittenDirectly() throws {
    for format in WebP.PixelFormat.allCases {
      var output = try OutputWriter(width: 7, height: 9, isLossy: false, options: .init(format: format), stride: 40)
      let direct = output.directRows(from: 3)
      #expect(direct?.offset == (format == .rgba ? 120 : nil))
      #expect(direct?.stride == (format == .rgba ? 40 : nil))
      output.skip(rows: 0..<4)
      #expect(output.finishedRows == 4)
    }
  }

  @Test func smallStrideIsRejected() {
    let error = #expect(throws: WebP.DecodeError.self) {
      try OutputWriter(width: 7, height: 9, isLossy: false, options: WebP.DecodeOptions(), stride: 27)
    }
    #expect(error?.kind == .invalidOptions)
  }

  /// Writes `picture` in several kinds of batches, without and with gaps between rows.
  private func check(
    _ picture: PlainImage, _ format: WebP.PixelFormat, _ upsampling: WebP.DecodeOptions.Upsampling,
    equals expected: [UInt8], using random: inout SplitMix64
  ) throws {
    let options = WebP.DecodeOptions(format: format, upsampling: upsampling)
    for (first, next) in [(picture.height + 1, 2), (2, 2), (8, 16)] {
      let written = try write(
        picture, options, inBatchesOf: (first, next), gap: first == 2 ? 7 : 0, using: &random)
      expectSame(
        written, expected,
        "\(picture.width) × \(picture.height) \(format) \(upsampling), batches of \(first), \(next)")
    }
  }
}

extension OutputWriter {
  /// The writer for an image of this size.
  init(
    width: Int, height: Int, isLossy: Bool, options: WebP.DecodeOptions, stride: Int?
  ) throws(WebP.DecodeError) {
    let geometry = try OutputGeometry(options, width: width, height: height, isLossy: isLossy)
    try self.init(geometry, options: options, stride: stride)
  }
}
