import Foundation
import TestSupport
import Testing

/// Proves that `webp` writes the metadata of an image, and orients it.
/// Expected values: chunks that `PNGReader` finds, and texts that are written in the tests.
@Suite struct DecodeMetadataTests {
  private let command = try! Command()

  /// Exif's orientation counts. Only if it rotates the image, both orientations become 1, also with a flip. The rows of
  /// a PNG that is not rotated are written while they are decoded, and a TIFF is written at the end.
  @Test(arguments: [nil, 1, 6] as [UInt8?], [nil, 1, 6] as [Int?])
  func exifAloneDecidesHowImagesAreRotated(exif: UInt8?, xmp: Int?) throws {
    var block = Exif.turnedRight
    if let exif { block[18] = exif } else { block[10] = 0x13 }  // another tag
    func packet(_ orientation: Int) -> String {
      "<r:D tiff:Orientation=\"\(orientation)\" xmlns:tiff=\"http://ns.adobe.com/tiff/1.0/\"/>"
    }
    try command.bringWithMetadata(as: "a.webp", exif: Data(block), xmp: Data((xmp.map(packet) ?? "<x/>").utf8))
    let isRotated = exif == 6
    if isRotated { block[18] = 1 }
    let text = xmp.map { packet(isRotated ? 1 : $0) } ?? "<x/>"
    for flip in ["", "--flip"] {
      let png = try PNGReader(Array(command.shell("./webp decode --upright \(flip) a.webp -o -").output))
      #expect((png.width, png.height) == (isRotated ? (45, 67) : (67, 45)))
      #expect(png.chunks.first { $0.type == "eXIf" }?.payload == block)
      let chunk = try #require(png.chunks.first { $0.type == "iTXt" })
      #expect(chunk.payload.suffix(text.utf8.count).elementsEqual(text.utf8))
      let tiff = try command.shell("./webp decode --upright \(flip) a.webp -f tiff -o -").output
      #expect(tiff.range(of: Data(text.utf8)) != nil)
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
