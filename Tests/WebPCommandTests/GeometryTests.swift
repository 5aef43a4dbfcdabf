import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing
import WebPExport

/// Proves that the options for frame, crop, size and orientation select the correct pixels.
/// Expected values: sizes computed by hand, and pixels that the tests crop, flip and rotate one by one.
@Suite struct GeometryTests {
  let command = try! Command(with: "encoder-cwebp-q75.webp")

  /// The image has 67 × 45 pixels.
  @Test(arguments: [
    ("--fit 320x320", "67 45"), ("--fit 320x", "67 45"), ("--fill 320x320", "67 45"), ("--fit 30x30", "30 20"),
    ("--fill 30x30", "45 30"), ("--fill x15", "22 15"), ("--fit 134x134 --enlarge", "134 90"),
    ("--fill 134x134 --enlarge", "200 134"), ("--fit 30x30 --enlarge", "30 20"),
  ])
  func imagesAreEnlargedOnlyWithTheOption(_ options: String, _ size: String) throws {
    let result = try command.shell("./webp decode a.webp -f ppm -o - \(options)")
    #expect(result.status == 0 && result.output.starts(with: Data("P6\n\(size)\n255\n".utf8)))
  }

  @Test(arguments: [
    "--enlarge", "--fit 5x5 --fill 5x5", "--resize 5x5 --fill 5x5", "--resize 5x5 --enlarge", "--crop 1,2,3",
    "--resize 0x0", "--resize 0%", "--resize -5%", "--fit 50%", "--fill x", "--resize axb", "--fit 5x5 --resize 4x4",
  ])
  func invalidAndContradictorySizesAreRejected(_ options: String) throws {
    for name in ["decode", "frames"] { #expect(try command.shell("./webp \(name) \(options) a.webp").status == 64) }
  }

  /// The expected pixels are cut, mirrored and rotated from the frame as the library composes it.
  @Test(arguments: [
    "", "--crop 4,6,20,9", "--flip", "--upright", "--upright --flip", "--upright --crop 4,6,20,9",
  ])
  func geometryAppliesToFrames(_ options: String) throws {
    try command.bringWithMetadata(
      as: "a.webp", of: "encoder-img2webp-animation.webp", exif: Data(Exif.turnedRight))
    let frame = try WebP.Animation(command.read("a.webp")).frame(at: 1).image
    var rows = (0..<45).map { y in (0..<67).map { x in Array(frame.pixels[(y * 67 + x) * 4..<(y * 67 + x) * 4 + 4]) } }
    if options.contains("--crop") { rows = rows[6..<15].map { Array($0[4..<24]) } }
    if options.contains("--flip") { rows.reverse() }
    if options.contains("--upright") { rows = rows[0].indices.map { x in rows.map { $0[x] }.reversed() } }
    let expected = Data(rows.flatMap { $0.flatMap { $0 } })

    try command.shell("./webp decode --frame 1 \(options) a.webp -o o.pam").expectSuccess()
    try command.shell("./webp decode --frame 1 \(options) a.webp -o o.png").expectSuccess()
    try command.shell("./webp frames \(options) a.webp -o out -f pam").expectSuccess()
    let header = "P7\nWIDTH \(rows[0].count)\nHEIGHT \(rows.count)\nDEPTH 4\n"
    for name in ["o.pam", "out/a-0001.pam"] {
      let file = try command.read(name)
      #expect(file.starts(with: Data(header.utf8)) && file.suffix(expected.count) == expected, "\(name)")
    }
    let png = try PNGReader([UInt8](command.read("o.png")))
    #expect(png.width == rows[0].count)
    expectSame(png.pixels, Array(expected))
  }

  @Test(arguments: WebP.FileFormat.allCases.map(\.rawValue))
  func allFormatsSupportFrames(_ format: String) throws {
    try command.bring("encoder-img2webp-animation.webp", as: "a.webp")
    let first = try command.webp("decode", "--frame", "0", "-f", format, "a.webp", "-o", "-")
    let second = try command.webp("decode", "--frame", "1", "-f", format, "a.webp", "-o", "-")
    let still = try command.webp("decode", "--still", "-f", format, "a.webp", "-o", "-")
    #expect(first.status == 0 && second.status == 0 && first.output.count > 3000)
    #expect(still.status == 0 && still.output == first.output)
    if format != "alpha" { #expect(first.output != second.output) }
    if format == "png" { #expect(try !PNGReader([UInt8](still.output)).chunks.contains { $0.type == "acTL" }) }
  }

  @Test func stillImagesHaveOneFrame() throws {
    let plain = try command.webp("decode", "a.webp", "-o", "-").output
    #expect(try command.webp("decode", "--frame", "0", "a.webp", "-o", "-").output == plain)
    #expect(try command.webp("decode", "--still", "a.webp", "-o", "-").output == plain)
    let second = try command.webp("decode", "--frame", "1", "a.webp")
    #expect(second.status == 1)
    #expect(second.errors == "webp: a.webp: there is no frame 1; it has 1, counted from 0\n")
    #expect(try command.webp("decode", "--frame=-1", "a.webp").status == 64)
    #expect(try command.webp("decode", "--frame", "0", "--still", "a.webp").status == 64)
    #expect(try command.files == ["a.webp"])
  }

  @Test func framesAcceptsSeveralInputs() throws {
    try command.shell("mkdir d").expectSuccess()
    for name in ["a.webp", "b.webp", "d/a.webp"] { try command.bring("encoder-img2webp-animation.webp", as: name) }
    let equal = try command.webp("frames", "a.webp", "b.webp", "d/a.webp", "-o", "out")
    #expect(equal.status == 64 && equal.errors.contains("a.webp and d/a.webp have the same output out/a-0000.png"))
    let result = try command.webp("frames", "a.webp", "missing.webp", "b.webp", "-o", "out", "--fit", "30x30")
    #expect(result.status == 1 && result.errors == "webp: missing.webp: No such file or directory\n")
    #expect(try command.shell("ls out").text == "a-0000.png\na-0001.png\nb-0000.png\nb-0001.png\n")
    #expect(try PNGReader([UInt8](command.read("out/b-0001.png"))).width == 30)
    for words in ["--prefix x", "--frame 0 -o -", "--frame 0 -o x.png"] {
      #expect(try command.shell("./webp frames a.webp b.webp \(words)").status == 64)
    }
  }
}
