import ConformanceSupport
import PureWebP
import TestComparison
import Testing

/// Proves that a size that does not scale, a crop and a flip change no pixel in any format.
/// Expected values: images without these options, which conformance tests compare with libwebp's, and their rows.
@Suite struct UnchangedPixelsTests {
  /// Sizes that change nothing for an image of this size.
  private static func sizes(_ width: Int, _ height: Int) -> [WebP.OutputSize] {
    [
      .fit(width: width, height: height), .fit(width: width + 100, enlarges: false), .fit(),
      .fit(width: width, height: height, enlarges: true), .fill(width: width, height: height), .fill(),
      .fill(width: 2 * width, height: 2 * height),
    ]
  }

  private static func exactSizes(_ width: Int, _ height: Int) -> [WebP.OutputSize] {
    [.exact(width: width, height: height), .exact(width: width)]
  }

  private func frames(_ file: [UInt8], _ options: WebP.DecodeOptions) throws -> [WebP.Image] {
    try WebP.Animation(file, options: options).map(\.image)
  }

  private func streamedFrames(_ file: [UInt8], _ options: WebP.DecodeOptions) throws -> [WebP.Image] {
    var stream = WebP.StreamingAnimation(options: options)
    try stream.append(file)
    var images: [WebP.Image] = []
    while let frame = try stream.nextFrame() { images.append(frame.image) }
    return images
  }

  /// Selects pixels of an image in a packed format.
  private func selected(_ image: WebP.Image, _ crop: WebP.Rectangle?, isFlipped: Bool) -> [UInt8] {
    let crop = crop ?? .init(x: 0, y: 0, width: image.width, height: image.height)
    let size = image.format.bytesPerPixel
    return (0..<crop.height).flatMap { row in
      let start = (crop.y + (isFlipped ? crop.height - 1 - row : row)) * image.stride + crop.x * size
      return Array(image.pixels[start..<start + crop.width * size])
    }
  }

  @Test(arguments: [
    "animation-corners-lossless.webp", "animation-corners-lossy.webp", "animation-corners-lossless-opaque.webp",
  ])
  func sizesOfTheCanvasChangeNoFrame(name: String) throws {
    let file = try Conformance.vector(name)
    let info = try WebP.info(file)
    let (width, height) = (info.width, info.height)
    for format in WebP.PixelFormat.allCases {
      let plain = WebP.DecodeOptions(format: format)
      let expected = try frames(file, plain)
      var options = plain
      options.crop = .init(x: 0, y: 0, width: width, height: height)
      expectSame(try frames(file, options), expected)
      for size in Self.sizes(width, height) + Self.exactSizes(width, height) {
        options.size = size
        for crop in [nil, options.crop] {
          options.crop = crop
          expectSame(try frames(file, options), expected, "\(format) \(size)")
          expectSame(try streamedFrames(file, options), expected, "\(format) \(size)")
          expectSame(try WebP.decode(file, options: options), expected[0], "\(format) \(size)")
        }
      }
    }
  }

  @Test(arguments: ["animation-corners-lossless.webp", "animation-corners-lossy.webp"])
  func cropsAndFlipsSelectPixelsOfTheCanvas(name: String) throws {
    let file = try Conformance.vector(name)
    let crop = WebP.Rectangle(x: 3, y: 5, width: 11, height: 9)
    for format in WebP.PixelFormat.allCases where !format.isPlanar {
      let canvases = try frames(file, .init(format: format))
      for (crop, isFlipped) in [(crop, false), (nil, true), (crop, true)] {
        let options = WebP.DecodeOptions(format: format, crop: crop, flipsVertically: isFlipped)
        let expected = canvases.map { selected($0, crop, isFlipped: isFlipped) }
        for images in [try frames(file, options), try streamedFrames(file, options)] {
          #expect(images.allSatisfy { $0.format == format })
          expectSame(images.map { Array($0.pixels) }, expected, "\(format) \(isFlipped)")
        }
        expectSame(Array(try WebP.decode(file, options: options).pixels), expected[0], "\(format) \(isFlipped)")
      }
    }
  }

  @Test(arguments: [
    "encoder-cwebp-alpha-best.webp", "encoder-cwebp-q75.webp", "encoder-cwebp-lossless-z6-alpha.webp",
  ])
  func sizesOfAStillImageChangeNoPixel(name: String) async throws {
    let file = try Conformance.vector(name)
    let info = try WebP.info(file)
    for format in WebP.PixelFormat.allCases {
      let plain = WebP.DecodeOptions(format: format, upsampling: format == .bgra ? .nearest : .fancy)
      let expected = try WebP.decode(file, options: plain)
      for size in Self.sizes(info.width, info.height) {
        var options = plain
        options.size = size
        for crop in [nil, WebP.Rectangle(x: 0, y: 0, width: info.width, height: info.height)] {
          options.crop = crop
          expectSame(try WebP.decode(file, options: options), expected, "\(format) \(size)")
          options.isUpright = true
          expectSame(try WebP.decode(file, options: options).pixels, expected.pixels)
          options.isUpright = false
          var stream = WebP.StreamingDecoder(options: options)
          try stream.append(file)
          expectSame(stream.image, expected, "\(format) \(size)")
          let image = try await WebP.decodeInBackground(file, options: options)
          expectSame(image, expected)
        }
      }
    }
    // An exact size scales, as in libwebp: the chroma of a lossy image is then resampled.
    let exact = WebP.DecodeOptions(size: .exact(width: info.width, height: info.height))
    let isEqual = try WebP.decode(file, options: exact) == WebP.decode(file)
    #expect(!isEqual || info.compression == .lossless)
  }
}
