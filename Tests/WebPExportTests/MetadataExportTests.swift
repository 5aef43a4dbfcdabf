import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPExport

/// Proves that metadata is stored in the written files.
/// Expected values: the metadata that Pillow and `PNGReader` read from the files.
@Suite struct MetadataExportTests {
  private static func xmp(_ orientation: Int) -> String {
    """
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
    <rdf:Description tiff:Orientation="\(orientation)" tiff:Make="Maker" xmlns:tiff="http://ns.adobe.com/tiff/1.0/"/>\
    </rdf:RDF></x:xmpmeta>
    """
  }
  /// Little-endian: Make ("abc"), Orientation (6), Copyright ("def").
  private static let exif: [UInt8] =
    [0x49, 0x49, 42, 0, 8, 0, 0, 0, 3, 0]
    + [0x0F, 1, 2, 0, 4, 0, 0, 0, 97, 98, 99, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0]
    + [0x98, 0x82, 2, 0, 4, 0, 0, 0, 100, 101, 102, 0, 0, 0, 0, 0]
  /// Returns an ICC profile for a color space, without tags.
  private static func profile(_ space: String, count: Int = 128) -> [UInt8] {
    var profile = [UInt8](repeating: 0, count: count)
    profile[16..<20] = Array(space.utf8)[...]
    return profile
  }

  private static let image = TestImages.make(6, 4, .rgb, Subject.noise.color())

  @Test(.needsPillow) func orientedImagesHaveOrientationOne() throws {
    let metadata = WebP.Metadata(exif: Self.exif, xmp: Array(Self.xmp(6).utf8))
    let files = try [
      Self.image.encoded(metadata: metadata), Self.image.oriented(.right).encoded(metadata: metadata),
      Self.image.oriented(.up).encoded(metadata: metadata),
    ]
    let lines = try Tool.pillow(
      "i.size, i.getexif()[0x10F], i.getexif()[0x112], i.getexif()[0x8298], i.info['XML:com.adobe.xmp'] == sys.argv[0]",
      of: files)
    #expect(
      lines.map { String($0.dropLast(" False".count)) }
        == ["(6, 4) abc 6 def", "(4, 6) abc 1 def", "(6, 4) abc 1 def"])
    for (file, orientation) in zip(files, [6, 1, 1]) {
      let text = try #require(try PNGReader(file).chunks.first { $0.type == "iTXt" })
      #expect(Array(text.payload.suffix(Self.xmp(1).utf8.count)) == Array(Self.xmp(orientation).utf8))
    }
  }

  @Test func prefixesAreNotStoredInPNG() throws {
    for prefix in ["", "Exif\0\0", "Exif\0\0Exif\0\0"] {
      let png = try PNGReader(Self.image.encoded(metadata: .init(exif: Array(prefix.utf8) + Self.exif)))
      #expect(png.chunks.first { $0.type == "eXIf" }?.payload == Self.exif)
    }
  }

  /// With and without alpha, with profiles of even and odd size.
  @Test(
    .needsPillow, arguments: [WebP.PixelFormat.rgb, .rgba], [128, 131])
  func profilesAreStoredInTIFF(format: WebP.PixelFormat, count: Int) throws {
    let image = TestImages.make(6, 4, format, Subject.noiseWithAlpha.color())
    let profile = Self.profile("RGB ", count: count)
    var exif = Self.exif
    exif[30] = 3
    var files: [[UInt8]] = []
    for metadata in [WebP.Metadata(icc: profile, exif: exif), .init(icc: Self.profile("CMYK"))] {
      var file: [UInt8] = []
      let written = try image.write(as: .tiff, metadata: metadata) { file += $0 }
      #expect(written.droppedProfile == (metadata.icc == profile ? nil : .colorSpace("CMYK")))
      files.append(file)
    }
    // Pillow rotates the pixels of a TIFF by its orientation.
    let (rotated, pixels) = (Array(image.oriented(.down).pixels), Array(image.pixels))
    let hex = { (bytes: [UInt8]) in bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }
    let lines = try Tool.pillow(
      "i.tag_v2.get(34675, b'').hex(), i.tag_v2[274], i.tobytes().hex()", of: files)
    #expect(lines.map(String.init) == ["\(hex(profile)) 3 \(hex(rotated))", " 1 \(hex(pixels))"])
  }

  /// A TIFF has the tags of the Exif block, in both byte orders, and the XMP packet. Pillow reads the tags.
  @Test(
    .needsPillow, arguments: ["exif-gps.webp", "exif-prefix-twice.webp"])
  func exifAndXMPAreStoredInTIFF(name: String) throws {
    var metadata = WebP.metadata(try TestFile.bytes(name))
    metadata.xmp = Array(Self.xmp(1).utf8)
    metadata.icc = Self.profile("RGB ")
    for format in [WebP.PixelFormat.rgb, .rgba] {
      let image = TestImages.make(6, 4, format, Subject.noiseWithAlpha.color())
      var file: [UInt8] = []
      #expect(try image.write(as: .tiff, metadata: metadata) { file += $0 }.losses.isEmpty)
      let upright = try image.oriented(.right).encoded(as: .tiff, metadata: metadata)
      let lines = try Tool.pillow(
        "[i.size, i.tag_v2[274], i.tag_v2.get(271), i.tag_v2.get(305), i.tag_v2[282], i.tag_v2[296], "
          + "len(i.tag_v2[700]), i.getexif().get_ifd(0x8769).get(0x9003), i.getexif().get_ifd(0x8769).get(0x9286), "
          + "i.getexif().get_ifd(0x8825).get(2), len(i.tag_v2[34675])]", of: [file, upright])
      let tags =
        name == "exif-gps.webp"
        ? "'Canon', 'GIMP 3.0.4', 300.0, 2, XMP, '2025:09:21 15:29:27', b'ASCII\\x00\\x00\\x00Created with GIMP', "
          + "(49.0, 12.0, 30.45), 128]"
        : "None, None, 72.0, 2, XMP, None, None, None, 128]"
      let expected = tags.replacing("XMP", with: "\(Self.xmp(1).utf8.count)")
      // Pillow rotates the pixels of a TIFF by its orientation.
      #expect(lines.map(String.init) == ["[(4, 6), 6, \(expected)", "[(4, 6), 1, \(expected)"])
      // The block precedes the image unchanged, except for the offset of its directory.
      let block = Array(metadata.exifWithoutPrefix!)
      #expect(file[..<4] == block[..<4] && file[8..<block.count] == block[8...])
    }
  }

  /// Exif that is not a TIFF structure cannot be stored.
  @Test func invalidExifIsALossOfTIFF() throws {
    #expect(try Self.image.write(as: .tiff, metadata: .init(exif: [1, 2, 3])) { _ in }.losses == [.exif])
    #expect(try Self.image.write(as: .tiff, metadata: .init(exif: Array("II*\0".utf8))) { _ in }.losses.isEmpty)
  }

  @Test func truncatedExifIsStoredInTIFF() throws {
    let exif = try #require(WebP.metadata(try TestFile.bytes("exif-gps.webp")).exif)
    for length in 8..<160 {
      #expect(
        try Self.image.write(as: .tiff, metadata: .init(exif: Array(exif.prefix(length)))) { _ in }.losses.isEmpty)
    }
  }

  @Test func droppedProfilesAreReported() throws {
    let metadata = { WebP.Metadata(icc: $0) }
    let colors = TestImages.make(6, 4, .rgba, Subject.noiseWithAlpha.color())
    let planes = TestImages.planes(6, 4, .yuva, seed: 1)
    for (image, format) in [(colors, .pam), (colors, .ppm), (colors, .bmp), (planes, .pgm), (planes, .yuv)]
      as [(WebP.Image, WebP.FileFormat)]
    {
      let written = try image.write(as: format, metadata: metadata(Self.profile("RGB "))) { _ in }
      #expect(written.droppedProfile == .unsupported(format))
      #expect(try image.write(as: format) { _ in }.droppedProfile == nil)
    }
    #expect(try planes.write(as: .alphaPGM, metadata: metadata(Self.profile("RGB "))) { _ in }.droppedProfile == nil)

    for (profile, expected) in [
      (Self.profile("RGB "), nil), (Self.profile("CMYK"), .colorSpace("CMYK")),
      (Self.profile("Lab "), .colorSpace("Lab")),
      ([1, 2, 3], .invalid),
    ] as [([UInt8], WebP.DroppedProfile?)] {
      var file: [UInt8] = []
      let written = try Self.image.write(metadata: metadata(profile)) { file += $0 }
      #expect(written.droppedProfile == expected)
      #expect(try PNGReader(file).chunks.contains { $0.type == "iCCP" } == (expected == nil))
    }
    // A profile for gray images is stored if the writer reduces the colors to gray.
    let gray = try #require(WebP.Image(width: 2, height: 1, format: .rgb, pixels: [9, 9, 9, 200, 200, 200]))
    #expect(try gray.write(metadata: metadata(Self.profile("GRAY"))) { _ in }.droppedProfile == nil)
    #expect(WebP.DroppedProfile.unsupported(.ppm).description == "PPM cannot store an ICC profile")
  }

  @Test func lossesAreReported() throws {
    let metadata = WebP.Metadata(icc: Self.profile("RGB "), exif: Exif.turnedRight, xmp: [1])
    let image = TestImages.make(6, 4, .rgba, Subject.noiseWithAlpha.color())
    func losses(_ format: WebP.FileFormat, _ image: WebP.Image) throws -> [WebP.Loss] {
      try image.write(as: format, metadata: metadata) { _ in }.losses
    }
    #expect(try losses(.png, image).isEmpty)
    #expect(try losses(.tiff, image).isEmpty)
    #expect(try losses(.bmp, image) == [.profile(.unsupported(.bmp)), .orientation, .exif, .xmp])
    #expect(try losses(.ppm, image) == [.alpha, .profile(.unsupported(.ppm)), .orientation, .exif, .xmp])
    #expect(try losses(.ppm, image.flattened(on: 0).oriented(.up)) == [.profile(.unsupported(.ppm)), .exif, .xmp])
    #expect(try image.write(as: .ppm) { _ in }.losses == [.alpha])
    let animation = try Data(contentsOf: APNGTests.vectors.appendingPathComponent("animation-full-frames.webp"))
    #expect(try WebP.writePNG(of: animation) { _ in }.losses == [.frames])
    #expect(try WebP.Animation(animation).write { _ in }.losses.isEmpty)
  }

  /// Tests a still image and an animation, each with Exif and a profile for RGB or CMYK. PNG cannot store profiles for
  /// CMYK.
  @Test func metadataOfTheFileIsTheDefault() throws {
    let names = ["encoder-cwebp-q75.webp", "animation-full-frames.webp"]
    for (name, isAnimated) in zip(names, [false, true]) {
      let plain = try [UInt8](Data(contentsOf: APNGTests.vectors.appendingPathComponent(name)))
      let info = try WebP.info(plain)
      let chunks = isAnimated ? Array(plain[30...]) : Array(plain[12...])
      for (space, isDropped) in [("RGB ", false), ("CMYK", true)] {
        let file = FileWriter.riff(
          FileWriter.vp8X(flags: isAnimated ? 0x2A : 0x28, width: info.width, height: info.height),
          FileWriter.chunk("ICCP", Self.profile(space)), chunks, FileWriter.chunk("EXIF", Self.exif))
        for metadata in [WebP.MetadataChoice.source, .none] {
          var png: [UInt8] = []
          let written =
            isAnimated
            ? try WebP.Animation(file).write(metadata: metadata) { png += $0 }
            : try WebP.writePNG(of: file, metadata: metadata) { png += $0 }
          let types = try PNGReader(png).chunks.map(\.type)
          #expect(types.contains("eXIf") == (metadata == .source))
          #expect(types.contains("iCCP") == (metadata == .source && !isDropped))
          let expected = metadata == .source && isDropped ? WebP.DroppedProfile.colorSpace("CMYK") : nil
          #expect(written == .init(width: info.width, height: info.height, droppedProfile: expected))
        }
      }
    }
  }
}
