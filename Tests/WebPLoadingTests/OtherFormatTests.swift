import Foundation
import PureWebP
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that a loader delivers images of other formats.
/// Expected values: the formula by which Fixtures/make-png computes the pixels of its files.
@Suite struct OtherFormatTests {
  // MARK: The uncompressed WebP

  @Test(arguments: [(1, 1), (2, 3), (67, 45), (16384, 1)]) func rastersBecomeWebP(width: Int, height: Int) throws {
    let pixels = (0..<width * height * 4).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3 ^ $0) }
    let image = try WebP.decode(Raster(width: width, height: height, pixels: pixels).webP())
    #expect(image.width == width && image.height == height && Array(image.pixels) == pixels)
  }

  #if !canImport(ImageIO)
    // MARK: PNG

    /// A file of Fixtures/png-types.tsv, whose pixels Fixtures/make-png specifies.
    private struct Case {
      let name: String
      let kind: String
      let depth: Int
      let isTransparent: Bool
      let file: Data

      init(_ line: Substring) throws {
        let fields = line.split(separator: "\t").map(String.init)
        name = fields[0..<4].joined(separator: " ")
        kind = fields[0]
        depth = try #require(Int(fields[1]))
        isTransparent = fields[3] == "1"
        file = try #require(Data(base64Encoded: fields[4]))
      }

      func pixel(_ x: Int, _ y: Int) -> [UInt8] {
        func sample(_ channel: Int) -> UInt8 {
          let maximum = Double(1 << depth - 1)
          let value = Double((37 * x + 59 * y + 83 * channel) % (1 << depth))
          return UInt8((value * 255 / maximum).rounded())
        }
        func isFirst(_ channels: Int) -> Bool {
          (0..<channels).allSatisfy { (37 * x + 59 * y + 83 * $0) % (1 << depth) == 83 * $0 % (1 << depth) }
        }
        let alpha = { (channels: Int) -> UInt8 in isTransparent && isFirst(channels) ? 0 : 255 }
        switch kind {
        case "gray": return [sample(0), sample(0), sample(0), alpha(1)]
        case "rgb": return [sample(0), sample(1), sample(2), alpha(3)]
        case "gray-alpha": return [sample(0), sample(0), sample(0), sample(1)]
        case "rgba": return [sample(0), sample(1), sample(2), sample(3)]
        default:
          let index = (37 * x + 59 * y) % (1 << depth)
          return [UInt8(index), UInt8(255 - index), UInt8(7 * index % 256), UInt8(index < 85 ? 255 - 3 * index : 255)]
        }
      }
    }

    private func cases() throws -> [Case] {
      let text = String(decoding: try Fixtures.bytes("png-types.tsv"), as: UTF8.self)
      return try text.split(separator: "\n").map { try Case($0) }
    }

    @Test func everyTypeOfPNGIsDecoded() throws {
      let cases = try cases()
      #expect(cases.count == 44)
      for png in cases {
        let raster = try PNGDecoder(png.file, limits: WebP.Limits()).raster()
        let expected = (0..<9).flatMap { y in (0..<11).flatMap { x in png.pixel(x, y) } }
        #expect(raster == Raster(width: 11, height: 9, pixels: expected), "\(png.name)")
      }
    }

    /// Truncated and changed files are decoded or rejected. Only the last chunk, IEND, may be missing.
    @Test func corruptPNGsNeverTrap() throws {
      for png in try cases() {
        for length in 0..<png.file.count - 12 {
          #expect(throws: URLError.self) { try PNGDecoder(png.file.prefix(length), limits: WebP.Limits()).raster() }
        }
        for index in png.file.indices.dropFirst(8) {
          var file = png.file
          file[index] ^= UInt8(1 + index % 255)
          #expect(throws: URLError.self) { try PNGDecoder(file, limits: WebP.Limits()).raster() }
        }
      }
    }

    @Test func loadersDeliverPNG() async throws {
      let picture = try Fixtures.bytes("encoder-cwebp-alpha-best.webp")
      let converter = WebP.PNGConverter()
      let png = try converter.append(picture) + converter.finish()
      let folder = TemporaryFolder.place()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let file = folder.appendingPathComponent("picture.png")
      try png.write(to: file)
      let loader = WebP.ImageLoader(configuration: .patient)
      var options = WebP.ImageLoader.Options()
      for size in [nil, WebP.OutputSize.exact(width: 20, height: 10)] {
        options.decoding.size = size
        options.decoding.format = .bgraPremultiplied
        let loaded = try await loader.image(for: URLRequest(url: file), options: options)
        #expect(loaded.animation == nil)
        if size == nil {
          #expect(loaded.image == (try WebP.decode(picture, options: options.decoding)))
        } else {
          #expect(loaded.image.width == 20 && loaded.image.height == 10)
        }
      }
      options.decoding.limits.maximumPixels = 100
      await #expect { try await loader.image(for: URLRequest(url: file), options: options) } throws: {
        ($0 as? URLError)?.code == .dataLengthExceedsMaximum
      }
      // JPEG needs ImageIO.
      let photo = folder.appendingPathComponent("photo.jpg")
      try Data([0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 0, count: 100)).write(to: photo)
      await #expect { try await loader.image(for: photo) } throws: {
        ($0 as? URLError)?.code == .cannotDecodeContentData
      }
    }
  #endif
}
