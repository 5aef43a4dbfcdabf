import ConformanceGenerator
import TestSupport
import Testing

@testable import PureWebP

/// Proves that images are oriented pixel by pixel.
/// Expected values: the definition of the tag in Exif 2.32.
@Suite struct OrientationTests {
  /// The source of each pixel of an oriented image, by Exif 2.32 (section 4.6.4, tag 0x0112). The tag specifies the
  /// sides at which the stored rows and columns begin.
  private static func source(_ orientation: WebP.Orientation, _ x: Int, _ y: Int, width: Int, height: Int) -> (Int, Int)
  {
    switch orientation {
    case .up: (x, y)  // row 0 on top, column 0 to the left
    case .upMirrored: (width - 1 - x, y)  // top, right
    case .down: (width - 1 - x, height - 1 - y)  // bottom, right
    case .downMirrored: (x, height - 1 - y)  // bottom, left
    case .leftMirrored: (y, x)  // left, top
    case .right: (y, height - 1 - x)  // right, top
    case .rightMirrored: (width - 1 - y, height - 1 - x)  // right, bottom
    case .left: (width - 1 - y, x)  // left, bottom
    }
  }

  @Test(arguments: WebP.PixelFormat.allCases) func orientedPixelsMatchTheDefinition(format: WebP.PixelFormat) throws {
    var random = SplitMix64(seed: 13)
    for (width, height) in [(1, 1), (5, 3), (2, 7), (40, 35), (33, 70)] {
      let layout = try #require(WebP.Layout(format: format, width: width, height: height))
      let pixels = random.bytes(layout.byteCount)
      let image = WebP.Image(width: width, height: height, format: format, pixels: pixels, layout: layout)
      for orientation in WebP.Orientation.allCases {
        let oriented = image.oriented(orientation)
        #expect(oriented.width == (orientation.swapsWidthAndHeight ? height : width))
        #expect(oriented.height == (orientation.swapsWidthAndHeight ? width : height))
        #expect(oriented.format == format)
        let size = format.bytesPerPixel
        for (from, to) in zip(layout.planes, oriented.layout.planes) {
          for y in 0..<to.rows {
            for x in 0..<to.rowBytes / size {
              let (sourceX, sourceY) = Self.source(
                orientation, x, y, width: from.rowBytes / size, height: from.rows)
              let (old, new) = (
                from.offset + sourceY * from.stride + sourceX * size, to.offset + y * to.stride + x * size
              )
              let isEqual = oriented.pixels[new..<new + size].elementsEqual(pixels[old..<old + size])
              if !isEqual { Issue.record("\(orientation) of \(width) × \(height) at \(x), \(y)") }
            }
          }
        }
      }
    }
  }
}
