import ConformanceGenerator
import TestSupport
import Testing

@testable import PureWebP

/// Proves that images are oriented pixel by pixel, and that the orientation is read from Exif.
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

  // MARK: Exif

  private func exif(_ value: Int, isLittleEndian: Bool = true, type: Int = 3, tag: Int = 0x0112) -> [UInt8] {
    func number(_ value: Int, _ bytes: Int) -> [UInt8] {
      let number = FileWriter.littleEndian(value, bytes: bytes)
      return isLittleEndian ? number : number.reversed()
    }
    let other = number(0x010F, 2) + number(2, 2) + number(3, 4) + [65, 66, 0, 0]
    let entry = number(tag, 2) + number(type, 2) + number(1, 4) + number(value, 2) + [0, 0]
    let header = Array((isLittleEndian ? "II" : "MM").utf8) + number(42, 2) + number(10, 4) + [0, 0]
    return header + number(2, 2) + other + entry + number(0, 4)
  }

  @Test func orientationIsReadFromExif() {
    for orientation in WebP.Orientation.allCases {
      for isLittleEndian in [true, false] {
        let exif = exif(orientation.rawValue, isLittleEndian: isLittleEndian)
        #expect(WebP.Metadata(exif: exif).orientation == orientation)
        #expect(WebP.Metadata(exif: Array("Exif".utf8) + [0, 0] + exif).orientation == orientation)
      }
    }
    #expect(WebP.Metadata().orientation == nil)
  }

  @Test func repeatedExifPrefixesAreSkipped() throws {
    #expect(WebP.metadata(try TestFile.bytes("exif-prefix-twice.webp")).orientation == .right)
    let prefix = Array("Exif".utf8) + [0, 0]
    for count in 0..<4 {
      let exif = Array(repeating: prefix, count: count).flatMap { $0 } + exif(6)
      #expect(WebP.Metadata(exif: exif).orientation == .right)
    }
  }

  @Test func invalidExifHasNoOrientation() {
    #expect(WebP.Metadata(exif: exif(0)).orientation == nil)
    #expect(WebP.Metadata(exif: exif(9)).orientation == nil)
    #expect(WebP.Metadata(exif: exif(6, type: 2)).orientation == nil)
    #expect(WebP.Metadata(exif: exif(6, tag: 0x0113)).orientation == nil)
    let good = exif(6)
    // The orientation is complete before the last six bytes of the directory.
    for count in 0..<good.count {
      #expect(WebP.Metadata(exif: Array(good.prefix(count))).orientation == (count < good.count - 6 ? nil : .right))
    }
    var far = good
    far[4...7] = [0xFF, 0xFF, 0xFF, 0xFF]
    #expect(WebP.Metadata(exif: far).orientation == nil)
    far[4...7] = [0xFF, 0xFF, 0xFF, 0x7F]
    #expect(WebP.Metadata(exif: far).orientation == nil)
    var random = SplitMix64(seed: 14)
    for _ in 0..<2000 {
      var damaged = good
      damaged[Int.random(in: 0..<good.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      _ = WebP.Metadata(exif: damaged).orientation
    }
  }
}
