import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing
import WebPExport

@testable import WebPLoading

/// Proves that incremental conversion gives PNGs with libwebp's pixels, for any division of the input.
/// Expected values: Conformance/references, which libwebp wrote, and `PNGReader`.
@Suite struct PNGConverterTests {
  private func convert(
    _ bytes: Data, piece: Int, options: WebP.ConversionOptions = .init()
  ) throws -> (png: Data, bytesBeforeFirst: Int?) {
    let converter = WebP.PNGConverter(options: options)
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
  func pixelsMatchLibwebp(name: String, piece: Int) throws {
    let png = try PNGReader(convert(try Fixtures.bytes(name), piece: piece).png)
    #expect(png.reference == Fixtures.references[name])
  }

  /// Animations are stored until they are complete, up to a limit.
  @Test func bytesAreLimited() throws {
    let bytes = try Fixtures.bytes("animation-full-frames.webp")
    let converter = WebP.PNGConverter(options: .init(limits: .init(maximumBytes: bytes.count - 1)))
    _ = try converter.append(bytes.dropLast(1))
    #expect(throws: WebP.ConversionError.self) { try converter.append(bytes.suffix(1)) }
  }

  @Test func framesAreLimited() throws {
    let bytes = try Fixtures.bytes("animation-full-frames.webp")
    let options = WebP.ConversionOptions(limits: .init(maximumFrames: 1))
    #expect(throws: WebP.ConversionError.self) { try convert(bytes, piece: 50, options: options) }
  }

  /// Level 0 does not compress.
  @Test(arguments: ["encoder-cwebp-q75.webp", "animation-random-7.webp"]) func compressionIsApplied(name: String) throws
  {
    let lengths = try [0, 9].map { level in
      return try convert(Fixtures.bytes(name), piece: 50, options: .init(compression: .level(level))).png.count
    }
    #expect(lengths[0] > lengths[1])
  }

  @Test(arguments: ["encoder-cwebp-q75.webp", "four-megapixels.webp", "animation-random-7.webp"])
  func threadsDoNotChangeTheFile(name: String) throws {
    let files = try [WebP.Threads.one, .atMost(2), .automatic].map { threads in
      return try convert(Fixtures.bytes(name), piece: 5000, options: .init(threads: threads)).png
    }
    #expect(files[0] == files[1] && files[0] == files[2])
  }

  /// Any number of chunks may precede the image header.
  @Test(arguments: [1, 7, 1000]) func headersAreReadInLinearTime(piece: Int) {
    let count = 300_000
    var reading = HeaderReading()
    let attempts = stride(from: piece, through: count, by: piece).filter { reading.isDue(at: $0) }
    #expect(attempts.reduce(0, +) <= 9 * count)
    // Between two attempts, the number of bytes grows by at most an eighth, or by one piece.
    let pairs = zip(attempts, attempts.dropFirst())
    #expect(pairs.allSatisfy { (first: Int, second: Int) -> Bool in second <= first + first / 8 + piece })
  }

  @Test func headersMayArriveLate() throws {
    let picture = try Fixtures.bytes(Fixtures.photo).dropFirst(12)
    let chunks = repeatElement(FileWriter.chunk("none", []), count: 2000).flatMap { $0 }
    let file = FileWriter.riff(FileWriter.vp8X(flags: 0, width: 67, height: 45), chunks, [UInt8](picture))
    let (png, _) = try convert(Data(file), piece: 50)
    #expect(try PNGReader(png).reference == Fixtures.references[Fixtures.photo])
  }

  /// Apps show errors by their `localizedDescription`.
  @Test func errorsStateTheProblem() throws {
    let bytes = try Fixtures.bytes(Fixtures.photo).prefix(200)
    let decoding = try #require(#expect(throws: WebP.DecodeError.self) { try WebP.decode(bytes) })
    let conversion = try #require(#expect(throws: WebP.ConversionError.self) { try convert(bytes, piece: 50) })
    let export = WebP.ExportError.tooLarge(.png)
    for (error, text) in [
      (decoding as any Error, decoding.description), (conversion, conversion.description), (export, export.description),
    ] {
      #expect(error.localizedDescription == text)
    }
    #expect(decoding.description.hasPrefix("truncated: "))
  }

  @Test func metadataIsPreserved() throws {
    let bytes = try Fixtures.bytes("profile-and-orientation.webp")
    let metadata = WebP.metadata(bytes)
    for piece in [1, .max / 2] {
      let png = try PNGReader(convert(bytes, piece: piece).png)
      let chunks = [String: [UInt8]](png.chunks.map { ($0.type, $0.payload) }) { $1 }
      let profile = try #require(metadata.icc)
      let compressed = try #require(chunks["iCCP"]).drop { $0 != 0 }.dropFirst(2)
      #expect(try PNGReader.inflate(Array(compressed), count: profile.count) == profile)
      #expect(chunks["eXIf"] == metadata.exif.map { $0.starts(with: "Exif\0\0".utf8) ? Array($0[6...]) : $0 })
      #expect((chunks["iTXt"] != nil) == (metadata.xmp != nil))
    }
    #expect(metadata.icc != nil && metadata.orientation == .right)
  }

  /// Metadata may arrive before or after the image is converted.
  @Test(arguments: [1, .max / 2]) func metadataIsWrittenOnce(piece: Int) throws {
    let picture = Array(try Fixtures.bytes(Fixtures.photo).dropFirst(12))
    let (exif, xmp) = (FileWriter.chunk("EXIF", Exif.turnedRight), FileWriter.chunk("XMP ", Array("<x/>".utf8)))
    let file = FileWriter.riff(FileWriter.vp8X(flags: 0b1100, width: 67, height: 45), picture, exif, xmp)
    let png = try PNGReader(convert(Data(file), piece: piece).png)
    #expect(png.chunks.map(\.type).filter(["eXIf", "iTXt"].contains) == ["eXIf", "iTXt"])
  }

  /// Metadata beyond the limit, before or after the image, is not in the PNG.
  @Test func metadataIsLimited() throws {
    let bytes = try Fixtures.bytes("profile-and-orientation.webp")
    let room = 8 + (try #require(WebP.metadata(bytes).icc)).count
    for (maximum, kept) in [(0, []), (room, ["iCCP"])] {
      let converter = WebP.PNGConverter(options: .init(limits: .init(maximumMetadataBytes: maximum)))
      let png = try PNGReader(Data(converter.append(bytes) + converter.finish()))
      #expect(png.chunks.map(\.type).filter(["iCCP", "eXIf", "iTXt"].contains) == kept)
    }
  }

  /// Converts all still images among the vectors, in parts of 37 bytes. If libwebp accepts a file, the PNG has
  /// libwebp's pixels. If libwebp rejects it, the PNG may be complete anyway, because the image may end before the
  /// fault.
  @Test func allVectorsAreConverted() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Fixtures.folders[1].path).filter {
      $0.hasSuffix(".webp")
    }
    #expect(names.count > 100)
    for name in names.sorted() {
      let bytes = try Fixtures.bytes(name)
      guard let reference = Fixtures.references[name], try !WebP.info(bytes).isAnimated else {
        if let png = try? convert(bytes, piece: 37).png { _ = try PNGReader(png) }
        continue
      }
      // The header of this file declares no alpha, but the pixels have alpha. The PNG is opaque.
      if name == "vp8l-alpha-is-used-0.webp" { continue }
      #expect(try PNGReader(convert(bytes, piece: 37).png).reference == reference, "\(name)")
    }
  }
}
