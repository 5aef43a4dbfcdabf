import ConformanceGenerator
import ConformanceSupport
import PureWebP
import TestComparison
import Testing

/// Proves that images are converted to every format as decoding does, and that rows and planes with gaps are copied.
/// Expected values: the result of decoding to the format, which libwebp's references check, and numbers by hand.
@Suite struct ConversionTests {
  /// The source is the format in which the decoder has the image before it converts it. Sides are odd, and even.
  @Test(arguments: WebP.PixelFormat.allCases) func conversionsEqualDecoding(format: WebP.PixelFormat) throws {
    for (name, source) in [
      ("encoder-cwebp-alpha-best.webp", WebP.PixelFormat.yuva), ("encoder-cwebp-q75.webp", .yuva),
      ("encoder-cwebp-q75.webp", .yuv), ("encoder-cwebp-lossless-z6-alpha.webp", .rgba),
      ("encoder-cwebp-lossless-z6-alpha.webp", .bgra), ("encoder-cwebp-lossless-z6-alpha.webp", .argb),
    ] {
      let bytes = try Conformance.vector(name)
      let image = try WebP.decode(bytes, options: .init(format: source))
      let isEqual = try image.converted(to: format) == WebP.decode(bytes, options: .init(format: format))
      #expect(isEqual, "\(name) in \(source)")
    }
  }

  /// Luma of the corners of the color cube, by libwebp's formula.
  @Test(
    arguments: [
      ([0, 0, 0], 16), ([255, 255, 255], 235), ([255, 0, 0], 82), ([0, 255, 0], 145), ([0, 0, 255], 41),
      ([128, 128, 128], 126),
    ] as [([UInt8], UInt8)]) func lumaFollowsTheFormula(color: [UInt8], luma: UInt8) throws
  {
    let image = try #require(WebP.Image(width: 1, height: 1, format: .rgb, pixels: color))
    #expect(image.converted(to: .luma).pixels == [luma])
    #expect(image.converted(to: .yuv).pixels.first == luma)
  }

  /// Gray of the corners of the color cube, by Pillow's formula for its mode L.
  @Test(
    arguments: [
      ([0, 0, 0], 0), ([255, 255, 255], 255), ([255, 0, 0], 76), ([0, 255, 0], 150), ([0, 0, 255], 29),
      ([128, 128, 128], 128), ([1, 2, 3], 2),
    ] as [([UInt8], UInt8)]) func grayFollowsTheFormula(color: [UInt8], gray: UInt8) throws
  {
    let image = try #require(WebP.Image(width: 1, height: 1, format: .rgb, pixels: color))
    #expect(image.converted(to: .gray8).pixels == [gray])
    #expect(image.converted(to: .gray8).converted(to: .rgb).pixels == [gray, gray, gray])
  }

  /// Every sample of luma: (Y - 16) · 255 / 219, rounded, in 0...255.
  @Test func lumaIsExpandedToGray() throws {
    let image = try #require(
      WebP.Image(width: 256, height: 1, format: .luma, pixels: 0...255 as ClosedRange<UInt8>))
    let expected = (0...255).map { (luma: Int) -> UInt8 in
      let gray = Double(luma - 16) * 255 / 219
      return UInt8(min(255, max(0, gray.rounded())))
    }
    expectSame(Array(image.converted(to: .gray8).pixels), expected)
  }

  @Test func grayOfLossyImagesIsTheirLuma() throws {
    let bytes = try Conformance.vector("encoder-cwebp-alpha-best.webp")
    for size in [nil, WebP.OutputSize.fit(width: 17)] {
      for flips in [false, true] {
        let gray = try WebP.decode(bytes, options: .init(format: .gray8, size: size, flipsVertically: flips))
        let luma = try WebP.decode(bytes, options: .init(format: .luma, size: size, flipsVertically: flips))
        #expect(gray == luma.converted(to: .gray8))
      }
    }
  }

  // MARK: Backgrounds

  @Test func transparentPixelsAreBlended() throws {
    let pixels: [UInt8] = [200, 100, 0, 255, 200, 100, 0, 0, 200, 100, 0, 51]
    let image = try #require(WebP.Image(width: 3, height: 1, format: .rgba, pixels: pixels))
    // (200 · 51 + 10 · 204) / 255 = 48, (100 · 51 + 20 · 204) / 255 = 36, 30 · 204 / 255 = 24
    #expect(image.flattened(on: 0x0A141E).pixels == [200, 100, 0, 10, 20, 30, 48, 36, 24])
    #expect(image.flattened(on: .init(red: 10, green: 20, blue: 30, alpha: 0)).format == .rgb)
    #expect(image.converted(to: .rgb).flattened(on: 1) == image.converted(to: .rgb))
  }

  @Test(arguments: ["encoder-cwebp-alpha-best.webp", "encoder-cwebp-lossless-z6-alpha.webp", "animation-random-7.webp"])
  func backgroundsEqualFlattening(name: String) throws {
    let bytes = try Conformance.vector(name)
    for size in [nil, WebP.OutputSize.fit(width: 15)] {
      let plain = try WebP.decode(bytes, options: .init(size: size)).flattened(on: 0x123456)
      for format in [WebP.PixelFormat.rgb, .rgba, .bgraPremultiplied, .gray8] {
        let options = WebP.DecodeOptions(format: format, size: size, background: 0x123456)
        #expect(try WebP.decode(bytes, options: options) == plain.converted(to: format))
        var stream = WebP.StreamingDecoder(options: options)
        if try WebP.info(bytes).isAnimated {
          try expectSame(WebP.Animation(bytes, options: options).frame(at: 0).image, plain.converted(to: format))
        } else {
          try stream.append(bytes)
          expectSame(stream.image, plain.converted(to: format))
        }
      }
    }
    let error = #expect(throws: WebP.DecodeError.self) {
      try WebP.decode(bytes, options: .init(format: .yuv, background: 0))
    }
    #expect(error?.detail.contains("planar") == true)
  }

  /// Gray has the colors of Y with the neutral chroma 128: 1.164 · (Y - 16), in 0...255.
  @Test func grayBecomesColors() throws {
    let image = try #require(WebP.Image(width: 3, height: 1, format: .luma, pixels: [0, 16, 235] as [UInt8]))
    #expect(image.converted(to: .rgb).pixels == [0, 0, 0, 0, 0, 0, 255, 255, 255])
    #expect(image.converted(to: .yuva).pixels == [0, 16, 235, 128, 128, 128, 128, 255, 255, 255])
  }

  /// `unpackRow` reads the pixels of every format, and `packRow`, which `OutputTests` checks, restores them.
  @Test(arguments: WebP.PixelFormat.allCases.filter { !$0.isPlanar })
  func colorsOfEveryFormatAreRestored(format: WebP.PixelFormat) throws {
    // The colors are multiplied by alpha with four bits, and truncated once more.
    guard format != .rgba4444Premultiplied else { return }
    var random = SplitMix64(seed: 31)
    let rgba = (0...UInt16.max).flatMap { _ in random.extremeBytes(4) }
    let colors = try #require(WebP.Image(width: 256, height: 256, format: .rgba, pixels: rgba))
    let image = colors.converted(to: format)
    expectSame(image.converted(to: .rgba).converted(to: format), image, "unpackRow")
  }

  /// White has the largest value of each channel, so that low bits that are not filled make it gray.
  @Test(arguments: WebP.PixelFormat.allCases) func whiteStaysWhite(format: WebP.PixelFormat) throws {
    let white = try #require(WebP.Image(width: 2, height: 2, format: .rgba, pixels: [UInt8](repeating: 255, count: 16)))
    expectSame(white.converted(to: format).converted(to: .rgba), white, "packRow or unpackRow")
  }

  /// Without alpha in the format, `hasAlpha` is false and pixels become opaque.
  @Test(arguments: WebP.PixelFormat.allCases) func alphaIsStoredIfTheFormatHasIt(format: WebP.PixelFormat) throws {
    let clear = try #require(WebP.Image(width: 2, height: 2, format: .rgba, pixels: [UInt8](repeating: 0, count: 16)))
    let alpha = clear.converted(to: format).converted(to: .rgba).pixels[3]
    #expect(alpha == (format.hasAlpha ? 0 : 255), "PixelFormat.hasAlpha is \(format.hasAlpha)")
  }

  @Test func lowBitsRepeatTheHighBits() throws {
    // RRRRRGGG GGGBBBBB: red 10000, green 100001, blue 00001.
    let short = try #require(WebP.Image(width: 1, height: 1, format: .rgb565, pixels: [0b1000_0100, 0b0010_0001]))
    #expect(short.converted(to: .rgba).pixels == [0b1000_0100, 0b1000_0110, 0b0000_1000, 255])
    let nibbles = try #require(WebP.Image(width: 1, height: 1, format: .rgba4444, pixels: [0x12, 0xAF]))
    #expect(nibbles.converted(to: .argb).pixels == [0xFF, 0x11, 0x22, 0xAA])
    let multiplied = try #require(
      WebP.Image(width: 2, height: 1, format: .rgba4444Premultiplied, pixels: [0x12, 0x48, 0x12, 0x40]))
    // ⌈255 · 17 / 136⌉, ⌈255 · 34 / 136⌉, ⌈255 · 68 / 136⌉
    #expect(multiplied.converted(to: .rgba).pixels == [32, 64, 128, 0x88, 0, 0, 0, 0])
  }

  /// Dividing by alpha and multiplying again restores every color that is at most alpha.
  @Test func premultipliedColorsAreRestored() throws {
    var pixels: [UInt8] = []
    for alpha in 0...255 as ClosedRange<UInt8> {
      for color in 0...alpha { pixels += [color, 0, alpha, alpha] }
    }
    let image = try #require(
      WebP.Image(width: pixels.count / 4, height: 1, format: .rgbaPremultiplied, pixels: pixels))
    expectSame(image.converted(to: .bgra).converted(to: .rgbaPremultiplied), image)
    // Blended colors may exceed alpha by 2.
    let blended = try #require(WebP.Image(width: 1, height: 1, format: .bgraPremultiplied, pixels: [102, 50, 0, 100]))
    #expect(blended.converted(to: .rgba).pixels == [0, 128, 255, 100])
  }

  @Test func orientedImagesStayOriented() throws {
    let image = try #require(WebP.Image(width: 2, height: 1, format: .rgb, pixels: 0..<6 as Range<UInt8>))
    #expect(image.oriented(.right).converted(to: .bgr).appliedOrientation == .right)
  }

  // MARK: Rows and planes

  @Test func rowsWithGapsAreCompacted() throws {
    let rows: [UInt8] = [1, 2, 3, 4, 5, 6, 0, 7, 8, 9, 10, 11, 12]
    let image = WebP.Image(width: 2, height: 2, format: .rgb, pixels: rows, stride: 7)
    #expect(image?.pixels == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    expectSame(WebP.Image(width: 2, height: 2, format: .rgb, pixels: rows + [0, 0], stride: 7), image)
    #expect(WebP.Image(width: 2, height: 2, format: .rgb, pixels: rows.dropLast(), stride: 7) == nil)
    #expect(WebP.Image(width: 2, height: 2, format: .rgb, pixels: rows, stride: 5) == nil)
    // Y of 3 × 3 with stride 5, then U and V of 2 × 2 with stride 3.
    let planes = (0..<27).map { UInt8($0) }
    let planar = WebP.Image(width: 3, height: 3, format: .yuv, pixels: planes, stride: 5)
    #expect(planar?.pixels == [0, 1, 2, 5, 6, 7, 10, 11, 12, 15, 16, 18, 19, 21, 22, 24, 25])
  }

  @Test func planesAreCopiedWithTheirStrides() throws {
    let image = try #require(WebP.Image(width: 3, height: 3, format: .yuv, pixels: 0..<17 as Range<UInt8>))
    var luma = ContiguousArray<UInt8>(repeating: 99, count: 11)
    var chroma = ContiguousArray<UInt8>(repeating: 99, count: 10)
    var lumaSpan = luma.mutableSpan
    try image.copyPlane(0, into: &lumaSpan, stride: 4)
    var chromaSpan = chroma.mutableSpan
    try image.copyInterleavedChroma(into: &chromaSpan, stride: 6)
    #expect(luma == [0, 1, 2, 99, 3, 4, 5, 99, 6, 7, 8])
    #expect(chroma == [9, 13, 10, 14, 99, 99, 11, 15, 12, 16])
    #expect(throws: WebP.DecodeError.self) { try copyPlane(of: image, count: 10, stride: 4) }
    #expect(throws: WebP.DecodeError.self) { try copyPlane(of: image, count: 11, stride: 2) }
    #expect(throws: WebP.DecodeError.self) { try copyChroma(of: image, count: 9, stride: 6) }
    #expect(throws: WebP.DecodeError.self) { try copyChroma(of: image, count: 10, stride: 3) }
  }

  private func copyPlane(of image: WebP.Image, count: Int, stride: Int) throws(WebP.DecodeError) {
    var memory = ContiguousArray<UInt8>(repeating: 0, count: count)
    var span = memory.mutableSpan
    try image.copyPlane(0, into: &span, stride: stride)
  }

  private func copyChroma(of image: WebP.Image, count: Int, stride: Int) throws(WebP.DecodeError) {
    var memory = ContiguousArray<UInt8>(repeating: 0, count: count)
    var span = memory.mutableSpan
    try image.copyInterleavedChroma(into: &span, stride: stride)
  }
}
