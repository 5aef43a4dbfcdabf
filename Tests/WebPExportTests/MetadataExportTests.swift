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
  private static let image = TestImages.make(6, 4, .rgb, Subject.noise.color())

  @Test(.needsPillow) func orientedImagesHaveOrientationOne() throws {
    let metadata = WebP.Metadata(exif: Self.exif, xmp: Array(Self.xmp(6).utf8))
    let files = try [
      Self.image.encoded(metadata: metadata), Self.image.oriented(.right).encoded(metadata: metadata),
      Self.image.oriented(.up).encoded(metadata: metadata),
      Self.image.oriented(.right).oriented(.left).encoded(metadata: metadata),
    ]
    let lines = try Tool.pillow(
      "i.size, i.getexif()[0x10F], i.getexif()[0x112], i.getexif()[0x8298], i.info['XML:com.adobe.xmp'] == sys.argv[0]",
      of: files)
    #expect(
      lines.map { String($0.dropLast(" False".count)) }
        == ["(6, 4) abc 6 def", "(4, 6) abc 1 def", "(6, 4) abc 6 def", "(6, 4) abc 1 def"])
    for (file, orientation) in zip(files, [6, 1, 6, 1]) {
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
    .needsPillow, arguments: [WebP.PixelFormat.rgb, .rgba], [132, 135])
  func profilesAreStoredInTIFF(format: WebP.PixelFormat, count: Int) throws {
    let image = TestImages.make(6, 4, format, Subject.noiseWithAlpha.color())
    let profile = ICCProfile.bytes("RGB ", count: count)
    var exif = Self.exif
    exif[30] = 3
    var files: [[UInt8]] = []
    for metadata in [WebP.Metadata(icc: profile, exif: exif), .init(icc: ICCProfile.bytes("CMYK"))] {
      var file: [UInt8] = []
      let written = try image.write(as: .tiff, metadata: metadata) { file += $0 }
      #expect(written.droppedProfile == (metadata.icc == profile ? nil : .colorSpace("CMYK")))
      files.append(file)
    }
    // Pillow rotates the pixels of a TIFF by its orientation.
    let (rotated, pixels) = (Array(image.oriented(.down).pixels), Array(image.pixels))
    func hex(_ bytes: [UInt8]) -> String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
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
    metadata.icc = ICCProfile.bytes("RGB ")
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
          + "(49.0, 12.0, 30.45), 132]"
        : "None, None, 72.0, 2, XMP, None, None, None, 132]"
      let expected = tags.replacing("XMP", with: "\(Self.xmp(1).utf8.count)")
      // Pillow rotates the pixels of a TIFF by its orientation.
      #expect(lines.map(String.init) == ["[(4, 6), 6, \(expected)", "[(4, 6), 1, \(expected)"])
      // The block precedes the image unchanged, except for the offset of its directory.
      let block = Array(metadata.exifWithoutPrefix!)
      #expect(file[..<4] == block[..<4] && file[8..<block.count] == block[8...])
    }
  }

  /// The orientations of Exif and XMP: none, up, and rotated.
  private static let orientations: [(exif: Int?, xmp: Int?)] = [nil, 1, 6].flatMap { exif in
    [nil, 1, 6].map { (exif, $0) }
  }

  private static func metadata(_ exif: Int?, _ xmp: Int?) -> WebP.Metadata {
    var block = Self.exif
    if let exif { block[30] = UInt8(exif) } else { block[22] = 0x13 }  // another tag
    return WebP.Metadata(exif: block, xmp: Array((xmp.map(Self.xmp) ?? "<x/>").utf8))
  }

  /// Exif's orientation counts, and XMP's does not. A rotated image has 1 in both, and other images keep both. The tag
  /// of a TIFF is Exif's, or 1, unless only XMP has an orientation. Pillow reads both files.
  @Test(.needsPillow) func exifAloneDecidesHowAnImageIsRotated() async throws {
    let plain = try TestFile.bytes("gray-mask.webp")
    let picture = try WebP.decode(plain, options: .init(format: .rgb))
    let canvas = FileWriter.vp8X(flags: 0x0C, width: picture.width, height: picture.height)
    for (exif, xmp) in Self.orientations {
      let source = Self.metadata(exif, xmp)
      let file = FileWriter.riff(
        canvas, Array(plain[12...]), FileWriter.chunk("EXIF", source.exif!), FileWriter.chunk("XMP ", source.xmp!))
      let isRotated = exif == 6
      let stored = isRotated ? Self.metadata(1, xmp.map { _ in 1 }) : source
      #expect(WebP.metadata(file) == source && source.orientation?.rawValue == exif && source.upright() == stored)
      let images = [
        try WebP.decode(file, options: .init(format: .rgb, isUpright: true)),
        try await WebP.decodeInBackground(file, options: .init(format: .rgb, isUpright: true)),
      ]
      for image in images {
        expectSame(image, isRotated ? picture.oriented(.right) : picture)
        #expect(image.appliedOrientation == (isRotated ? .right : .up))
        let png = try PNGReader(image.encoded(metadata: source))
        #expect(png.chunks.first { $0.type == "eXIf" }?.payload == stored.exif)
        #expect(png.chunks.first { $0.type == "iTXt" }?.payload.suffix(stored.xmp!.count) == stored.xmp![...])
        let tiff = try image.encoded(as: .tiff, metadata: source)
        let tag = stored.orientation.map { "\($0.rawValue)" } ?? (xmp == nil ? "1" : "None")
        let lines = try Tool.pillow("i.tag_v2.get(274), i.tag_v2[700].decode()", of: [tiff])
        #expect(lines == ["\(tag) \(String(decoding: stored.xmp!, as: UTF8.self))"])
      }
      // Without upright, both files keep the metadata.
      let png = try PNGReader(picture.encoded(metadata: source))
      #expect(png.chunks.first { $0.type == "eXIf" }?.payload == source.exif)
      // The setter keeps both in step.
      var changed = source
      changed.orientation = .down
      #expect(changed.orientation == .down && changed.xmp == Self.metadata(3, xmp.map { _ in 3 }).xmp)
    }
    // Without metadata, a TIFF has the tag, as a TIFF of dwebp.
    #expect(try Tool.pillow("i.tag_v2[274]", of: [picture.encoded(as: .tiff)]) == ["1"])
  }

  /// exiftool and Pillow read both fields of this block, whose directory ends too early.
  @Test(.needsPillow) func fieldsOfACutDirectoryStay() throws {
    let source = WebP.metadata(try TestFile.bytes("exif-cut-directory.webp"))
    #expect(source.upright() == source)
    var metadata = source
    metadata.orientation = .right
    for (metadata, tag) in [(source, "None"), (metadata, "6")] {
      let png = try Self.image.encoded(metadata: metadata)
      let tiff = try Self.image.encoded(as: .tiff, metadata: metadata)
      let lines = try Tool.pillow("i.getexif().get(271), i.getexif().get(272), i.getexif().get(274)", of: [png, tiff])
      #expect(lines == ["abc xyz \(tag)", "abc xyz \(tag == "None" ? "1" : tag)"])
    }
    let upright = try Self.image.oriented(.right).encoded(metadata: metadata)
    #expect(try Tool.pillow("i.getexif().get(271), i.getexif().get(274)", of: [upright]) == ["abc 1"])
  }

  /// Exif that is not a TIFF structure cannot be stored.
  @Test func invalidExifIsALossOfTIFF() throws {
    #expect(try Self.image.write(as: .tiff, metadata: .init(exif: [1, 2, 3])) { _ in }.losses == [.exif])
    #expect(try Self.image.write(as: .tiff, metadata: .init(exif: Array("II*\0".utf8))) { _ in }.losses.isEmpty)
  }

  @Test func truncatedExifIsStoredInTIFF() throws {
    let exif = try #require(WebP.metadata(try TestFile.bytes("exif-gps.webp")).exif)
    let lossy = try (8..<160).filter { length in
      try !Self.image.write(as: .tiff, metadata: .init(exif: Array(exif.prefix(length)))) { _ in }.losses.isEmpty
    }
    #expect(lossy == [], "lengths of Exif that was lost")
  }

  /// A valid resolution of Exif replaces the default of 72 pixels per inch. Each tag is stored once, in order.
  @Test(arguments: [(vertical: 300, stored: 300), (vertical: 0, stored: 72)])
  func resolutionIsStoredOnceInTIFF(vertical: Int, stored: Int) throws {
    func longs(_ values: Int...) -> [UInt8] {
      values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    }
    // A directory of two entries, and their rationals: a horizontal resolution of 300, and the vertical one.
    let exif =
      Array("II*\0".utf8) + longs(8) + [2, 0] + longs(282 | 5 << 16, 1, 38, 283 | 5 << 16, 1, 46, 0)
      + longs(300, 1, vertical, 1)
    let file = try Self.image.encoded(as: .tiff, metadata: .init(exif: exif))
    func long(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 | Int(file[offset + $1]) << (8 * $1) } }
    let directory = long(4)
    let entries = (0..<long(directory) & 0xFFFF).map { directory + 2 + 12 * $0 }
    let tags = entries.map { long($0) & 0xFFFF }
    #expect(tags == Set(tags).sorted())
    let resolutions = entries.filter { [282, 283].contains(long($0) & 0xFFFF) }.map { long(long($0 + 8)) }
    #expect(resolutions == [stored, stored])
  }

  @Test func droppedProfilesAreReported() throws {
    let metadata = { WebP.Metadata(icc: $0) }
    let colors = TestImages.make(6, 4, .rgba, Subject.noiseWithAlpha.color())
    let planes = TestImages.planes(6, 4, .yuva, seed: 1)
    for (image, format) in [(colors, .pam), (colors, .ppm), (colors, .bmp), (planes, .pgm), (planes, .yuv)]
      as [(WebP.Image, WebP.FileFormat)]
    {
      let written = try image.write(as: format, metadata: metadata(ICCProfile.bytes("RGB "))) { _ in }
      #expect(written.droppedProfile == .unsupported(format))
      #expect(try image.write(as: format) { _ in }.droppedProfile == nil)
    }
    let rgb = metadata(ICCProfile.bytes("RGB "))
    #expect(try planes.write(as: .alphaPGM, metadata: rgb) { _ in }.droppedProfile == nil)

    for (profile, expected) in [
      (ICCProfile.bytes("RGB "), nil), (ICCProfile.bytes("CMYK"), .colorSpace("CMYK")),
      (ICCProfile.bytes("Lab "), .colorSpace("Lab")),
      ([1, 2, 3], .invalid("3 bytes are shorter than a header")),
    ] as [([UInt8], WebP.DroppedProfile?)] {
      var file: [UInt8] = []
      let written = try Self.image.write(metadata: metadata(profile)) { file += $0 }
      #expect(written.droppedProfile == expected)
      #expect(try PNGReader(file).chunks.contains { $0.type == "iCCP" } == (expected == nil))
    }
    // A profile for gray images is stored if the writer reduces the colors to gray.
    let gray = try #require(WebP.Image(width: 2, height: 1, format: .rgb, pixels: [9, 9, 9, 200, 200, 200]))
    #expect(try gray.write(metadata: metadata(ICCProfile.bytes("GRAY"))) { _ in }.droppedProfile == nil)
    #expect(WebP.DroppedProfile.unsupported(.ppm).description == "PPM cannot store an ICC profile")
  }

  /// The messages of libpng 1.6.39 for a PNG with the profile and RGB pixels. Nil: it reads the profile.
  private static let profiles: [(message: String?, profile: ICCProfile, reason: String)] = [
    (nil, .init(), ""), (nil, .init { ($0.count, $0.version) = (145, 3) }, ""),
    ("invalid length", .init { $0.count = 145 }, "the size 145 is not a multiple of 4"),
    ("length does not match profile", .init { $0.sizeField = 4096 }, "the size field is 4096, not 132"),
    (nil, .init { ($0.count, $0.tags) = (144, [(132, 12)]) }, ""),
    (nil, .init { ($0.count, $0.tags) = (144, [(144, 0)]) }, ""),
    ("tag count too large", .init { $0.tagCount = 1 }, "the table of 1 tags exceeds the profile"),
    (
      "tag count too large", .init { $0.tagCount = 0xFFFF_FFFF },
      "the table of 4294967295 tags exceeds the profile"
    ),
    (
      "ICC profile tag outside profile", .init { ($0.count, $0.tags) = (144, [(132, 13)]) },
      "the tag desc exceeds the profile"
    ),
    (
      "ICC profile tag outside profile", .init { ($0.count, $0.tags) = (144, [(8, 0xFFFF_FFFC)]) },
      "the tag desc exceeds the profile"
    ),
    (nil, .init { $0.intent = 0xFFFE }, ""),
    ("invalid rendering intent", .init { $0.intent = 0xFFFF }, "unknown rendering intent"),
    ("invalid signature", .init { $0.signature = "ascp" }, "no signature"),
    ("invalid embedded Abstract ICC profile", .init { $0.deviceClass = "abst" }, "the class is abstract"),
    ("unexpected DeviceLink ICC profile class", .init { $0.deviceClass = "link" }, "the class is device link"),
    (nil, .init { $0.deviceClass = "nmcl" }, ""), (nil, .init { $0.connectionSpace = "Lab " }, ""),
    ("unexpected ICC PCS encoding", .init { $0.connectionSpace = "Luv " }, "the connection space is Luv "),
    (nil, .init { $0.count = 8_000_000 }, ""),
    ("exceeds application limits", .init { $0.count = 8_000_004 }, "8000004 bytes exceed the limit of libpng"),
  ]

  /// A TIFF keeps the bytes that a PNG does not store.
  @Test func profilesThatLibpngRefusesAreNotStored() throws {
    for (message, profile, reason) in Self.profiles {
      let metadata = WebP.Metadata(icc: profile.bytes)
      let expected: WebP.DroppedProfile? = message == nil ? nil : .invalid(reason)
      var (png, tiff): ([UInt8], [UInt8]) = ([], [])
      #expect(try Self.image.write(metadata: metadata) { png += $0 }.droppedProfile == expected)
      let chunk = try PNGReader(png).chunks.first { $0.type == "iCCP" }
      #expect((chunk != nil) == (message == nil), "\(reason)")
      // libpng refuses shorter chunks.
      if let chunk { #expect(chunk.payload.count >= 92) }
      #expect(try Self.image.write(as: .tiff, metadata: metadata) { tiff += $0 }.losses.isEmpty)
      #expect(tiff.count > profile.count)
    }
    for (name, reason) in [
      ("icc-cut", "the size field is 588, not 200"), ("icc-size-field", "the size field is 999999, not 588"),
      ("icc-text", "no signature"),
    ] {
      let metadata = WebP.metadata(try TestFile.bytes("\(name).webp"))
      let written = try Self.image.write(metadata: metadata) { _ in }
      #expect(written.losses.map(\.description) == ["invalid ICC profile: \(reason)"])
    }
    let blank = ICCProfile { $0.space = "    " }.bytes
    #expect(
      try Self.image.write(metadata: .init(icc: blank)) { _ in }.losses.map(\.description)
        == ["the ICC profile describes     , not the colors of the pixels"])
  }

  /// No other format can store the chunks that WebP does not define.
  @Test func unknownChunksAreALoss() throws {
    let chunk = WebP.Metadata.Chunk(fourCC: "C2PA", payload: [1, 2])
    let metadata = WebP.Metadata(unknown: [chunk, .init(fourCC: "abc", payload: []), chunk])
    let losses: [WebP.Loss] = [.chunk("C2PA"), .chunk("abc ")]
    for format in WebP.FileFormat.allCases {
      #expect(try Self.image.write(as: format, metadata: metadata) { _ in }.losses == losses)
    }
    #expect(losses[0].description == "chunk C2PA")
    for name in ["encoder-cwebp-q75.webp", "animation-full-frames.webp"] {
      var file = try [UInt8](TestFile.vector(name))
      file += FileWriter.chunk("C2PA", [1, 2])
      file.replaceSubrange(4..<8, with: FileWriter.littleEndian(file.count - 8, bytes: 4))
      let info = try WebP.info(file)
      let written =
        info.isAnimated ? try WebP.Animation(file).write { _ in } : try WebP.writePNG(of: file) { _ in }
      #expect(written.losses == [.chunk("C2PA")])
    }
  }

  @Test func lossesAreReported() throws {
    let metadata = WebP.Metadata(icc: ICCProfile.bytes("RGB "), exif: Exif.turnedRight, xmp: [1])
    let image = TestImages.make(6, 4, .rgba, Subject.noiseWithAlpha.color())
    func losses(_ format: WebP.FileFormat, _ image: WebP.Image) throws -> [WebP.Loss] {
      try image.write(as: format, metadata: metadata) { _ in }.losses
    }
    #expect(try losses(.png, image).isEmpty)
    #expect(try losses(.tiff, image).isEmpty)
    #expect(try losses(.bmp, image) == [.profile(.unsupported(.bmp)), .orientation, .exif, .xmp])
    #expect(try losses(.ppm, image) == [.alpha, .profile(.unsupported(.ppm)), .orientation, .exif, .xmp])
    let upright = image.flattened(on: 0).oriented(.right)
    #expect(try losses(.ppm, upright) == [.profile(.unsupported(.ppm)), .exif, .xmp])
    #expect(try image.write(as: .ppm) { _ in }.losses == [.alpha])
    let animation = try TestFile.vector("animation-full-frames.webp")
    #expect(try WebP.writePNG(of: animation) { _ in }.losses == [.frames])
    #expect(try WebP.Animation(animation).write { _ in }.losses.isEmpty)
  }

  /// Tests a still image and an animation, each with Exif and a profile for RGB or CMYK. PNG cannot store profiles for
  /// CMYK.
  @Test func metadataOfTheFileIsTheDefault() throws {
    let names = ["encoder-cwebp-q75.webp", "animation-full-frames.webp"]
    for (name, isAnimated) in zip(names, [false, true]) {
      let plain = try [UInt8](TestFile.vector(name))
      let info = try WebP.info(plain)
      let chunks = isAnimated ? Array(plain[30...]) : Array(plain[12...])
      for (space, isDropped) in [("RGB ", false), ("CMYK", true)] {
        let file = FileWriter.riff(
          FileWriter.vp8X(flags: isAnimated ? 0x2A : 0x28, width: info.width, height: info.height),
          FileWriter.chunk("ICCP", ICCProfile.bytes(space)), chunks, FileWriter.chunk("EXIF", Self.exif))
        for metadata in [nil, WebP.Metadata()] {
          var png: [UInt8] = []
          let written =
            isAnimated
            ? try WebP.Animation(file).write(metadata: metadata) { png += $0 }
            : try WebP.writePNG(of: file, metadata: metadata) { png += $0 }
          let types = try PNGReader(png).chunks.map(\.type)
          #expect(types.contains("eXIf") == (metadata == nil))
          #expect(types.contains("iCCP") == (metadata == nil && !isDropped))
          let expected = metadata == nil && isDropped ? WebP.DroppedProfile.colorSpace("CMYK") : nil
          #expect(written.size == .init(width: info.width, height: info.height))
          #expect(written.losses == (expected.map { [.profile($0)] } ?? []))
        }
      }
    }
  }
}
