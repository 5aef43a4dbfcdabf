import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPExport

/// Proves that gray images are stored exactly, as gray.
/// Expected values: the bytes of the image, which `PNGReader` and Pillow read from the files.
@Suite struct GrayTests {
  private static let ramp = WebP.Image(width: 256, height: 1, format: .gray8, pixels: 0...255 as ClosedRange<UInt8>)

  @Test func everyGrayIsStoredInPNG() throws {
    let ramp = try #require(Self.ramp)
    for png in [WebP.PNGOptions(), .init(reducesColors: false)] {
      let file = try PNGReader(ramp.encoded(png: png))
      #expect(file.colorType == 0)
      #expect(file.pixels.elementsEqual((0...255 as ClosedRange<UInt8>).flatMap { [$0, $0, $0, 255] }))
    }
    // The range of luma is expanded.
    let luma = try #require(WebP.Image(width: 2, height: 1, format: .luma, pixels: [16, 235] as [UInt8]))
    let file = try PNGReader(luma.encoded())
    #expect(file.colorType == 0 && file.pixels.elementsEqual([0, 0, 0, 255, 255, 255, 255, 255]))
  }

  /// A photo, lossy and lossless, is gray in all its pixels.
  @Test(arguments: ["encoder-cwebp-q75.webp", "encoder-cwebp-lossless-z6.webp"])
  func photosAreGray(name: String) throws {
    let bytes = try TestFile.vector(name)
    let image = try WebP.decode(bytes, options: .init(format: .gray8))
    let file = try PNGReader(image.encoded())
    #expect(file.colorType == 0)
    expectSame(file.pixels, image.pixels.flatMap { [$0, $0, $0, 255] })
  }

  @Test func everyGrayIsStoredInPGM() throws {
    let ramp = try #require(Self.ramp)
    #expect(try ramp.encoded(as: .pgm) == Array("P5\n256 1\n255\n".utf8) + Array(ramp.pixels))
  }

  @Test(.needsPillow, arguments: [WebP.FileFormat.tiff, .bmp, .png])
  func pillowReadsGray(format: WebP.FileFormat) throws {
    let pixels = (0..<35).map { UInt8($0 * 7) }
    let image = try #require(WebP.Image(width: 7, height: 5, format: .gray8, pixels: pixels))
    let lines = try Tool.pillow("i.mode, list(i.tobytes())", of: [image.encoded(as: format)])
    #expect(lines.map(String.init) == ["L \(pixels)"])
  }
}
