import Foundation
import PureWebP
import TestSupport
import Testing

/// Proves that `webp` reports what its outputs do not contain, and blends transparent pixels with a background.
/// Expected values: the formula of blending, applied in the tests, and texts that are written in the tests.
@Suite struct LossTests {
  private let command = try! Command(with: "animation-random-7.webp")

  /// The losses of a PPM: nothing but colors is in it.
  private static let ppm = "left out ICC profile, orientation (--upright rotates the pixels), Exif, XMP"

  @Test(arguments: [
    ("-o o.ppm", ppm), ("-o o.ppm --upright", "left out ICC profile, Exif, XMP"), ("-o o.ppm -q", ""),
    ("-o o.tiff", ""), ("-o o.png", ""),
    ("-o o.ppm --no-metadata", "left out orientation (--upright rotates the pixels)"),
    ("-o o.png --no-metadata", "left out orientation (--upright rotates the pixels)"),
    ("-o o.png --no-metadata --upright", ""),
  ])
  func lossesAreReportedInOneLine(_ words: String, _ expected: String) throws {
    try command.bringWithMetadata(as: "a.webp", exif: Data(Exif.turnedRight))
    let result = try command.shell("./webp decode a.webp \(words)")
    #expect(result.status == 0)
    #expect(result.errors == (expected.isEmpty ? "" : "webp: a.webp: \(expected)\n"))
  }

  @Test func framesAreReportedUnlessOneIsChosen() throws {
    for (words, isReported) in [
      ("", false), ("-f tiff", true), ("-f tiff --still", false), ("-f bmp --frame 1", false),
    ] {
      let errors = try command.shell("./webp decode a.webp --force \(words)").errors
      #expect(errors == (isReported ? "webp: a.webp: left out frames after the first one\n" : ""), "\(words)")
    }
  }

  /// A profile for other colors than the pixels'.
  @Test func theReasonForAProfileIsReported() throws {
    try command.bringWithMetadata(as: "a.webp")
    var file = try command.read("a.webp")
    let name = try #require(file.range(of: Data("RGB ".utf8)))
    file.replaceSubrange(name, with: Data("CMYK".utf8))
    try file.write(to: command.folder.appendingPathComponent("a.webp"))
    let reason = "the ICC profile describes CMYK, not the colors of the pixels"
    #expect(try command.webp("decode", "a.webp").errors == "webp: a.webp: left out ICC profile (\(reason))\n")
  }

  /// The reasons for profiles that libpng refuses, and chunks that WebP does not define.
  @Test func profilesAndChunksThatPNGCannotStoreAreReported() throws {
    for (name, reason) in [
      ("icc-cut", "the size field is 588, not 200"), ("icc-size-field", "the size field is 999999, not 588"),
      ("icc-text", "no signature"),
    ] {
      try Data(TestFile.bytes("\(name).webp")).write(to: command.folder.appendingPathComponent("a.webp"))
      let errors = try command.webp("decode", "a.webp", "-o", "a.png").errors
      #expect(errors == "webp: a.webp: left out ICC profile (invalid ICC profile: \(reason))\n")
      let words = "./webp decode a.webp -o a.tiff && ./webp extract icc a.webp -o - | cat"
      let tiff = try command.shell(words)
      let profile = try #require(WebP.metadata(command.read("a.webp")).icc)
      #expect(tiff.errors == "" && tiff.output.elementsEqual(profile))
      #expect(try command.read("a.tiff").range(of: Data(profile)) != nil)
    }
    var file = try [UInt8](TestFile.vector("encoder-cwebp-q75.webp")) + FileWriter.chunk("C2PA", [1, 2])
    file.replaceSubrange(4..<8, with: FileWriter.littleEndian(file.count - 8, bytes: 4))
    try Data(file).write(to: command.folder.appendingPathComponent("b.webp"))
    for (words, line) in [
      ("-o b.png", "webp: b.webp: left out chunk C2PA\n"), ("-o b.png --metadata icc", ""),
      ("-o b.png --no-metadata", ""),
    ] { #expect(try command.shell("./webp decode b.webp \(words)").errors == line) }
  }

  /// A loss of several frames is reported once.
  @Test func framesReportTheirLossesOnce() throws {
    try command.bringWithMetadata(as: "a.webp", of: "animation-random-7.webp", exif: Data(Exif.turnedRight))
    let result = try command.webp("frames", "a.webp", "--format", "ppm", "-o", "out/")
    let losses = "orientation (--upright rotates the pixels), alpha (--background blends it with a color), ICC profile"
    #expect(result.status == 0 && result.errors == "webp: a.webp: left out \(losses)\n")
    let blended = try command.shell("./webp frames a.webp -f ppm -o out/ --force --upright --background white")
    #expect(blended.errors == "webp: a.webp: left out ICC profile\n")
  }

  @Test func transparencyIsReported() throws {
    try command.bring("encoder-cwebp-q75.webp", as: "opaque.webp")
    try Self.transparentImage.write(to: command.folder.appendingPathComponent("a.webp"))
    let line = "webp: a.webp: left out alpha (--background blends it with a color)\n"
    #expect(try command.webp("decode", "a.webp", "-o", "a.ppm").errors == line)
    #expect(try command.webp("decode", "a.webp", "-o", "a.ppm", "--background", "navy").errors == "")
    #expect(try command.webp("decode", "opaque.webp", "-o", "a.ppm").errors == "")
    #expect(try command.dwebp("a.webp", "-ppm", "-o", "a.ppm").errors.contains("left out") == false)
  }

  @Test(
    arguments: [
      ("white", [255, 255, 255]), ("Navy", [0, 0, 128]), ("=#12AB9f", [0x12, 0xAB, 0x9F]), ("f80", [0xFF, 0x88, 0]),
    ] as [(String, [Int])])
  func transparentPixelsAreBlended(_ color: String, _ background: [Int]) throws {
    let file = Self.transparentImage
    try file.write(to: command.folder.appendingPathComponent("a.webp"))
    let pixels = try Array(WebP.decode(file).pixels).map(Int.init)
    let expected = stride(from: 0, to: pixels.count, by: 4).flatMap { pixel in
      (0..<3).map { channel in
        let (color, alpha) = (pixels[pixel + channel], pixels[pixel + 3])
        return UInt8((color * alpha + background[channel] * (255 - alpha) + 127) / 255)
      }
    }
    let option = "--background\(color.hasPrefix("=") ? color : " \(color)")"
    let ppm = try command.shell("./webp decode a.webp -f ppm -o - \(option)")
    #expect(ppm.errors == "" && ppm.output.suffix(expected.count).elementsEqual(expected))
    for words in ["-o a.png", "--upright -o a.png", "-o - > a.png", "--partial -o a.png"] {
      try command.shell("./webp decode a.webp \(option) \(words)").expectSuccess()
      let png = try PNGReader([UInt8](command.read("a.png")))
      #expect(png.pixels.enumerated().filter { $0.offset % 4 < 3 }.map(\.element).elementsEqual(expected), "\(words)")
      #expect(stride(from: 3, to: png.pixels.count, by: 4).allSatisfy { png.pixels[$0] == 255 }, "\(words)")
    }
  }

  /// The canvases of an APNG with a background are opaque, and equal the frames.
  @Test func animationsAreBlended() throws {
    let words = "a.webp --background 204060"
    try command.shell("./webp decode \(words) -o a.png; ./webp frames \(words) -f ppm -o - > frames").expectSuccess()
    try command.shell("./webp frames a.webp -f pam -o - > transparent").expectSuccess()
    let png = try APNGReader([UInt8](command.read("a.png")))
    var (frames, canvases) = (try command.read("frames"), try command.read("transparent"))
    #expect(png.frames.count > 1)
    for canvas in png.frames.map(\.canvas) {
      let start = try #require(frames.range(of: Data("\n255\n".utf8))).upperBound
      let rgbaStart = try #require(canvases.range(of: Data("ENDHDR\n".utf8))).upperBound
      for pixel in 0..<canvas.count / 4 {
        let rgba = (0..<4).map { Int(canvases[rgbaStart + 4 * pixel + $0]) }
        for (channel, background) in [0x20, 0x40, 0x60].enumerated() {
          let blended = UInt8((rgba[channel] * rgba[3] + background * (255 - rgba[3]) + 127) / 255)
          try #require(frames[start + 3 * pixel + channel] == blended)
          try #require(canvas[4 * pixel + channel] == blended)
        }
      }
      (frames, canvases) = (frames[(start + canvas.count / 4 * 3)...], canvases[(rgbaStart + canvas.count)...])
    }
  }

  @Test func invalidBackgroundsAreRejected() throws {
    try command.bring("encoder-cwebp-q75.webp", as: "a.webp")
    for color in ["whitish", "#12345", "+12345", "#1234567", ""] {
      #expect(try command.webp("decode", "a.webp", "--background", color).status == 64, "\(color)")
    }
    for format in ["pgm", "yuv", "alpha"] {
      let result = try command.webp("decode", "a.webp", "-f", format, "--background", "white")
      #expect(result.status == 64 && result.errors.contains("--background needs a format of colors"))
    }
  }

  private static let transparentImage = Data(try! TestFile.bytes("hidden-colors.webp"))
}
