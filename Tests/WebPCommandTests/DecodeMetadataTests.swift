import Foundation
import TestSupport
import Testing

/// Proves that `webp` writes the metadata of an image, and reports an ICC profile that the output format cannot store.
/// Expected values: chunks that `PNGReader` finds, and texts that are written in the tests.
@Suite struct DecodeMetadataTests {
  private let command = try! Command()

  @Test func uprightKeepsTheMetadata() throws {
    try command.bringWithMetadata(as: "a.webp", exif: Data(Exif.turnedRight))
    for (option, value) in [("", 6), ("--upright", 1)] as [(String, UInt8)] {
      let png = try PNGReader(Array(command.shell("./webp decode \(option) a.webp -o -").output))
      var expected = Exif.turnedRight
      expected[18] = value
      #expect(png.chunks.first { $0.type == "eXIf" }?.payload == expected)
      #expect(png.chunks.contains { $0.type == "iTXt" } && png.chunks.contains { $0.type == "iCCP" })
    }
  }

  @Test func droppedProfilesAreReportedOnce() throws {
    try command.bringWithMetadata(as: "a.webp")
    try command.bringWithMetadata(as: "b.webp", of: "animation-random-7.webp")
    let line = "webp: a.webp: PPM cannot store an ICC profile\n"
    #expect(try command.webp("decode", "a.webp", "-o", "a.ppm").errors == line)
    #expect(try command.webp("decode", "-q", "a.webp", "-o", "b.ppm").errors == "")
    for arguments in ["a.ppm --no-metadata", "a.png", "a.tiff"] {
      #expect(try command.shell("./webp decode --force a.webp -o \(arguments)").errors == "")
    }
    let frames = try command.webp("frames", "b.webp", "--format", "bmp", "-o", "out/")
    #expect(frames.status == 0 && frames.errors == "webp: b.webp: BMP cannot store an ICC profile\n")
  }
}
