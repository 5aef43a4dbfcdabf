import ConformanceSupport
import Foundation
import PureWebP
import Testing

/// Proves that images can be decoded into the caller's memory and created from the caller's pixels.
/// Expected values: the result of `WebP.decode`, and the documented bounds.
@Suite struct ImageTests {
  @Test(arguments: WebP.PixelFormat.allCases) func imagesAreDecodedIntoTheCallersMemory(format: WebP.PixelFormat) throws
  {
    let bytes = try Conformance.vector("encoder-cwebp-alpha-best.webp")
    var options = WebP.DecodeOptions()
    options.format = format
    let image = try WebP.decode(bytes, options: options)
    var pixels = [UInt8](repeating: 0, count: image.layout.byteCount)
    try WebP.decode(bytes, into: &pixels, options: options)
    func made(of pixels: some Collection<UInt8>) -> WebP.Image? {
      WebP.Image(width: image.width, height: image.height, format: format, pixels: pixels)
    }
    #expect(made(of: pixels) == image && made(of: Data(pixels)) == image)
    #expect(made(of: pixels.dropLast()) == nil && made(of: pixels + [0]) == nil)
  }

  @Test(arguments: [
    (0, 5, 0), (5, 0, 0), (-2, -3, 6), (.max, 1, 4), (1, .max, 4), (.max, .max, 4),
    ((1 << 24) + 1, 1, (1 << 26) + 4), (1, (1 << 24) + 1, (1 << 26) + 4),
  ]) func invalidSidesAreRejected(width: Int, height: Int, count: Int) {
    let pixels = repeatElement(0 as UInt8, count: count)
    #expect(WebP.Image(width: width, height: height, format: .rgba, pixels: pixels) == nil)
  }
}
