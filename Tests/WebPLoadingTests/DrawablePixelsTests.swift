import Foundation
import PureWebP
import Testing
import WebPLoading

/// Proves that images are stored as views draw them fastest.
/// Expected values: rows and alpha values that the tests write.
@Suite struct DrawablePixelsTests {
  private static let formats: [WebP.PixelFormat] = [
    .rgba, .rgbaPremultiplied, .argb, .argbPremultiplied, .bgra, .bgraPremultiplied, .rgb,
  ]

  @Test(arguments: [1, 7, 8, 9, 16, 33], formats) func rowsAreAligned(width: Int, format: WebP.PixelFormat) throws {
    let rowBytes = width * format.bytesPerPixel
    let rows = (0..<3).map { row in (0..<rowBytes).map { UInt8(truncatingIfNeeded: $0 + 101 * row) } }
    let image = try #require(WebP.Image(width: width, height: 3, format: format, pixels: Array(rows.joined())))
    let pixels = DrawablePixels(image)
    #expect(pixels.bytesPerRow % 32 == 0 && 0..<32 ~= pixels.bytesPerRow - rowBytes)
    #expect(pixels.bytes.length == 3 * pixels.bytesPerRow)
    for (row, bytes) in rows.enumerated() {
      let stored = (pixels.bytes as Data).dropFirst(row * pixels.bytesPerRow).prefix(pixels.bytesPerRow)
      #expect(Array(stored) == bytes + Array(repeating: 0, count: pixels.bytesPerRow - rowBytes))
    }
  }

  /// One pixel that is not opaque suffices.
  @Test(arguments: formats) func opaqueImagesAreMarked(format: WebP.PixelFormat) throws {
    var bytes = [UInt8](repeating: 255, count: 3 * 2 * format.bytesPerPixel)
    func isOpaque() throws -> Bool {
      DrawablePixels(try #require(WebP.Image(width: 3, height: 2, format: format, pixels: bytes))).isOpaque
    }
    #expect(try isOpaque())
    let alpha = format == .argb || format == .argbPremultiplied ? 0 : 3
    for index in bytes.indices {
      bytes[index] = 254
      #expect(try isOpaque() == (format == .rgb || index % 4 != alpha))
      bytes[index] = 255
    }
  }
}
