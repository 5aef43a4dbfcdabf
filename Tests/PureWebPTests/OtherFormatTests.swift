import ConformanceGenerator
import ConformanceSupport
import TestSupport
import Testing
import WebPFormat

@testable import PureWebP

/// Proves that files of other formats are identified, and that no WebP file is mistaken for another format.
/// Expected values: the signatures of those formats, and the beginnings of all vectors.
@Suite struct OtherFormatTests {
  private static let files: [(String, [UInt8])] = [
    ("a JPEG image", [0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x10]),
    ("a PNG image", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
    ("a GIF image", Array("GIF89a".utf8)),
    ("an AVIF image", [0, 0, 0, 0x1C] + Array("ftypavif".utf8)),
    ("a HEIF image", [0, 0, 0, 0x18] + Array("ftypheic".utf8)),
    ("an MP4 video", [0, 0, 0, 0x20] + Array("ftypisom".utf8)),
    ("a JPEG XL image", [0xFF, 0x0A, 0xFA, 0x1F]),
    ("a JPEG XL image", [0, 0, 0, 0x0C] + Array("JXL ".utf8) + [0x0D, 0x0A, 0x87, 0x0A]),
    ("a BMP image", Array("BM".utf8) + [0x36, 0, 0, 0]),
    ("a TIFF image", [0x49, 0x49, 42, 0, 8, 0, 0, 0]),
    ("a TIFF image", [0x4D, 0x4D, 0, 42, 0, 0, 0, 8]),
    ("a PDF document", Array("%PDF-1.7".utf8)),
    ("an SVG or XML document", Array("<svg xmlns=".utf8)),
    ("an SVG or XML document", Array("<?xml version=".utf8)),
    ("an HTML page", Array("<!DOCTYPE html>".utf8)),
    ("an HTML page", Array("<html><body></body></html>".utf8)),
    ("an HTML page", Array("\r\n\t <!doctype html>".utf8)),
    ("an HTML page", Array("\u{FEFF}<HTML>".utf8)),
    ("an HTML page", Array(String(repeating: "\n", count: 40).utf8) + Array("\u{C}<html>".utf8)),
    ("an SVG or XML document", Array("\u{FEFF}\n<?xml version=".utf8)),
    ("a WebM video", [0x1A, 0x45, 0xDF, 0xA3, 0x9F]),
    ("gzip data", [0x1F, 0x8B, 8, 0, 0, 0]),
    ("a RIFF file of another type", Array("RIFF".utf8) + [0x24, 8, 0, 0] + Array("WAVEfmt ".utf8)),
  ]

  /// Every decoder reports the format. The status equals libwebp's, whose header parser waits for twelve bytes.
  @Test(arguments: files) func otherFormatsAreIdentified(title: String, file: [UInt8]) throws {
    var errors = [
      #expect(throws: WebP.DecodeError.self) { try WebP.decode(file) },
      #expect(throws: WebP.DecodeError.self) { try WebP.info(file) },
      #expect(throws: WebP.DecodeError.self) { try WebP.Animation(file) },
    ]
    #expect(errors[0]?.status == 3 && errors[1]?.status == (file.count < 12 ? 7 : 3))
    var (decoder, animation) = (WebP.StreamingDecoder(), WebP.StreamingAnimation())
    errors.append(#expect(throws: WebP.DecodeError.self) { _ = try decoder.append(file) })
    errors.append(#expect(throws: WebP.DecodeError.self) { try animation.append(file) })
    for error in errors {
      #expect(error?.kind == .notWebP && error?.detail == "\(title), not WebP")
      #expect(error?.description.hasPrefix("\(title), not WebP (at byte ") == true)
    }
  }

  @Test func renamedFileIsIdentified() throws {
    let error = #expect(throws: WebP.DecodeError.self) { try WebP.decode(TestFile.bytes("renamed-jpeg.webp")) }
    #expect(error?.kind == .notWebP && error?.detail == "a JPEG image, not WebP" && error?.status == 3)
  }

  @Test func unknownBytesAreNotWebP() throws {
    for text in ["hello", "not an image at all"] {
      let error = #expect(throws: WebP.DecodeError.self) { try WebP.decode(Array(text.utf8)) }
      #expect(error?.kind == .notWebP && error?.detail == "not a WebP file")
    }
  }

  /// The decoder rejects the input at the first byte that excludes WebP files and bare streams. A bare VP8 stream can
  /// begin with three almost arbitrary bytes.
  @Test func theFirstWrongByteIsReported() throws {
    for (text, count) in [("GIF89a", 1), ("RIFX", 4), ("RIFF....WAVE", 10), ("VP9 ", 4), ("0123", 4)] {
      var decoder = WebP.StreamingDecoder()
      let bytes = Array(text.utf8)
      for byte in bytes.prefix(count - 1) { #expect(try decoder.append([byte]) == .needsMoreData, "\(text)") }
      let error = #expect(throws: WebP.DecodeError.self) { _ = try decoder.append([bytes[count - 1]]) }
      #expect(error?.kind == .notWebP, "\(text)")
    }
  }

  @Test func emptyInputIsTruncated() throws {
    var decoder = WebP.StreamingDecoder()
    var animation = WebP.StreamingAnimation()
    let errors = [
      #expect(throws: WebP.DecodeError.self) { try WebP.decode([UInt8]()) },
      #expect(throws: WebP.DecodeError.self) { try WebP.info([UInt8]()) },
      #expect(throws: WebP.DecodeError.self) { try WebP.Animation([UInt8]()) },
      #expect(throws: WebP.DecodeError.self) { try decoder.finish() },
      #expect(throws: WebP.DecodeError.self) { try animation.finish() },
    ]
    for error in errors { #expect(error?.kind == .truncated && error?.detail == "input is empty") }
  }

  /// The beginning of a WebP file, valid or corrupt, is never identified as another format.
  @Test func beginningsOfWebPFilesAreIdentified() throws {
    let names = try Conformance.table("vectors.tsv", of: Reference.self).map(\.file)
    #expect(names.count > 1000)
    for name in names {
      let file = try Conformance.vector(name)
      if decodeError({ try WebP.info(file) })?.kind == .notWebP { continue }
      for count in 0..<min(file.count, 32) {
        let isAccepted = OtherFormat.mayBeWebP(file.span.extracting(first: count))
        #expect(isAccepted, "\(name), \(count) bytes")
      }
    }
  }

  /// libwebp waits for twelve bytes before it rejects a file.
  @Test func fewBytesHaveTheStatusOfLibwebp() throws {
    var random = SplitMix64(seed: 34)
    for count in 0..<12 {
      for _ in 0..<50 {
        #expect(decodeError { try WebP.info(random.bytes(count)) }?.status == 7)
      }
    }
  }

  @Test func anUnknownFirstChunkIsNamed() throws {
    let error = #expect(throws: WebP.DecodeError.self) { try WebP.decode(TestFile.bytes("unknown-first-chunk.webp")) }
    #expect(error?.description == "corrupt: first chunk is not VP8, VP8L or VP8X (junk at byte 12)")
    #expect(error?.status == 3)
  }
}
