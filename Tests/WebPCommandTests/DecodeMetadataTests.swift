import Foundation
import TestSupport
import Testing

/// Proves that `webp` writes the metadata of an image, and orients it.
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

  /// Animations are oriented as `frames` orients them: each canvas of the APNG has the pixels of a frame.
  @Test(arguments: [6, 1] as [UInt8]) func animationsAreOriented(orientation: UInt8) throws {
    var block = Exif.turnedRight
    block[18] = orientation
    try command.bringWithMetadata(as: "a.webp", of: "animation-random-7.webp", exif: Data(block))
    for options in ["", "--fit 20x20", "--flip"] {
      let words = "--upright \(options) a.webp"
      try command.shell("./webp decode \(words) -o a.png; ./webp frames \(words) -f pam -o - > frames").expectSuccess()
      let png = try APNGReader([UInt8](command.read("a.png")))
      var frames = try command.read("frames")
      for canvas in png.frames.map(\.canvas) {
        let end = try #require(frames.range(of: Data("ENDHDR\n".utf8))).upperBound
        #expect(frames[end...].prefix(canvas.count).elementsEqual(canvas))
        frames = frames[end...].dropFirst(canvas.count)
      }
      #expect(frames.isEmpty)
      let exif = try #require(PNGReader([UInt8](command.read("a.png"))).chunks.first { $0.type == "eXIf" })
      #expect(exif.payload[18] == 1, "the orientation is 1")
      try command.shell("rm a.png").expectSuccess()
    }
  }
}
