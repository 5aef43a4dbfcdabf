import Foundation
import PureWebP
import Testing

@testable import WebPLoading

@Suite struct PNGConverterTests {
  private func convert(_ bytes: Data, piece: Int) throws -> (png: Data, bytesBeforeFirst: Int?) {
    let converter = WebP.PNGConverter()
    var png = Data()
    var first: Int?
    for start in stride(from: 0, to: bytes.count, by: piece) {
      png += try converter.append(bytes[start..<min(bytes.count, start + piece)])
      if first == nil, !png.isEmpty { first = start }
    }
    png += try converter.finish()
    return (png, first)
  }

  @Test(arguments: ["encoder-cwebp-q75.webp", "encoder-pillow-metadata.webp"], [1, 7, 100, .max / 2])
  func pixelsAreLibwebps(name: String, piece: Int) throws {
    let png = try PNGReader(convert(try Fixtures.bytes(name), piece: piece).png)
    #expect(png.reference == Fixtures.references[name])
  }

  @Test func largePicturesComeLongBeforeTheirEnd() throws {
    let bytes = try Fixtures.bytes("four-megapixels.webp")
    let (png, first) = try convert(bytes, piece: 1000)
    let before = try #require(first)
    #expect(before < bytes.count / 2)
    #expect(try PNGReader(png).reference == Fixtures.references["four-megapixels.webp"])
  }
}
