// Tests of the effects and the error messages of options.

import Foundation
import PureWebP
import TestSupport
import Testing

@testable import webp

extension DecodeCommandTests {
  @Test func errorsNameTheOptionOfTheLimit() throws {
    try command.bring("vp8l-attack-few-bytes-16384x16384.webp", as: "huge.webp")
    let refused = try command.webp("decode", "a.webp", "--max-pixels", "100", "-o", "o.png")
    #expect(refused.status == 1 && refused.errors == "webp: a.webp: image exceeds --max-pixels (100)\n")
    let endless = "- < <(exec 2>&-; printf 'RIFF\\377\\377\\377\\177WEBPVP8L'; exec cat /dev/zero)"
    for arguments in ["a.webp", endless, "- <a.webp"] {
      try command.write("exec ./webp decode --max-bytes 100 -o o.png \(arguments)", to: "line")
      let tooLong = try command.shell("bash line")
      #expect(tooLong.status == 1)
      #expect(tooLong.errors.hasSuffix(": file exceeds --max-bytes (100)\n"))
    }
    // Commands without the option have the default limit. The end of the file has no blocks on the disk.
    try command.bring("encoder-cwebp-q75.webp", as: "long.webp")
    let long = command.folder.appendingPathComponent("long.webp")
    try FileHandle(forWritingTo: long).truncate(atOffset: (1 << 30) + 1)
    for part in ["info", "info --chunks", "extract exif"] {
      let errors = try command.shell("./webp \(part) long.webp").errors
      #expect(errors == "webp: long.webp: file exceeds the maximum length (1073741824)\n", "\(part)")
    }
    let frames = try command.webp("frames", "a.webp", "--max-frames", "0")
    #expect(frames.errors.contains("animation exceeds --max-frames (0)"))
    #expect(try command.webp("decode", "huge.webp", "-o", "o.png").errors.contains("image exceeds --max-pixels"))
    let wide = try command.webp("decode", "a.webp", "--resize", "100000x100000", "-o", "o.png")
    #expect(wide.errors.hasSuffix("output exceeds --max-pixels (134217728)\n"))
    try command.bring("animation-lossy-alpha.webp", as: "b.webp")
    let animation = try command.webp("frames", "b.webp", "--max-total-pixels", "1")
    #expect(animation.errors.hasSuffix("animation exceeds --max-total-pixels (1)\n"))
    #expect(try command.webp("decode", "a.webp", "--max-pixels", "-1").status != 0)
    let few = try command.webp("decode", "huge.webp", "--no-limits", "--pixels-per-byte", "1", "-o", "o.png")
    #expect(few.status == 1 && few.errors.hasSuffix("image exceeds --pixels-per-byte (1)\n"))
    #expect(try command.files.sorted() == ["a.webp", "b.webp", "huge.webp", "line", "long.webp"])
    let cropped = try command.webp("decode", "huge.webp", "--no-limits", "--crop", "0,0,20,10", "-o", "o.ppm")
    #expect(cropped.status == 0)
    #expect(try command.read("o.ppm").prefix(9) == Data("P6\n20 10\n".utf8).prefix(9))
  }

  @Test(arguments: [("022", 0o644), ("027", 0o640), ("077", 0o600)])
  func newFilesHaveThePermissionsOfTheUmask(_ mask: String, _ permissions: Int) throws {
    try command.shell("umask \(mask); ./webp decode a.webp").expectSuccess()
    let attributes = try FileManager.default.attributesOfItem(atPath: command.folder.path + "/a.png")
    #expect(attributes[.posixPermissions] as? Int == permissions)
  }

  /// Images are written to files and to pipes by different functions, and animations by a third one.
  @Test(arguments: ["encoder-cwebp-q75.webp", "encoder-img2webp-animation.webp"], ["-", "o.png"])
  func metadataIsCopiedToPNG(_ vector: String, _ output: String) throws {
    try command.bringWithMetadata(as: "a.webp", of: vector)
    let kinds = ["iCCP", "eXIf", "iTXt"]
    for (options, expected) in [("", kinds), ("--no-metadata", []), ("--max-metadata 0", [])] {
      let result = try command.shell("./webp decode a.webp \(options) -o \(output)")
      result.expectSuccess()
      let png = output == "-" ? result.output : try command.read(output)
      #expect(kinds.filter { png.range(of: Data($0.utf8)) != nil } == expected, "\(options)")
    }
  }

  @Test func levelsSetTheCompression() throws {
    let sizes = try ["0", "9"].map { try command.webp("decode", "a.webp", "--level", $0, "-o", "-").output.count }
    #expect(sizes[0] > sizes[1])
    #expect(try command.webp("decode", "a.webp", "--level", "10", "-o", "-").status == 64)
  }

  /// The result equals dwebp's, and has the requested size.
  @Test(arguments: [
    ("-crop 4 6 20 9", "--crop 4,6,20,9", "20 9"), ("-resize 30 11", "--resize 30x11", "30 11"),
    ("-resize 134 0", "--resize 134x", "134 90"), ("-resize 0 90", "--resize x90", "134 90"),
    ("-resize 33 22", "--fit 40x22", "33 22"), ("-flip", "--flip", "67 45"),
  ])
  func geometryOptionsEqualThoseOfDwebp(_ theirs: String, _ ours: String, _ size: String) throws {
    let first = try command.shell("./dwebp -quiet \(theirs) a.webp -ppm -o -")
    let second = try command.shell("./webp decode a.webp -f ppm -o - \(ours)")
    #expect(first.status == 0 && first.output == second.output)
    #expect(first.output.starts(with: Data("P6\n\(size)\n255\n".utf8)))
    let plain = try command.shell("./webp decode a.webp -f ppm -o -").output
    #expect(first.output != plain)
    if ours == "--flip" {
      let rows = { (file: Data) in
        stride(from: 0, to: 67 * 45 * 3, by: 67 * 3).map { [UInt8](file.suffix(67 * 45 * 3))[$0..<$0 + 67 * 3] }
      }
      #expect(rows(first.output) == rows(plain).reversed())
    }
  }

  @Test func errorsQuoteInvalidOperands() throws {
    for (words, message) in [
      ("--resize 0x0 a.webp", "'0x0' is invalid"), ("a.webp --crop 1,2,3", "'1,2,3' is invalid"),
    ] {
      let result = try command.shell("./webp decode \(words)")
      #expect(result.status == 64 && result.errors.contains(message), "\(result.errors)")
    }
  }

  @Test func verboseNamesInputAndOutput() throws {
    #expect(try command.webp("decode", "-v", "a.webp").errors.hasPrefix("a.webp → a.png: "))
  }

  @Test(arguments: ["--fit 32x32", "--crop 2,2,5,9", "--resize 40x10"])
  func theReportedSizeEqualsTheWrittenSize(_ options: String) throws {
    try command.bring("encoder-img2webp-animation.webp", as: "a.webp")
    let report = try command.shell("./webp decode -v \(options) a.webp").errors
    // A PNG begins with its signature and IHDR, whose first words are width and height.
    let sides = try [16, 20].map { try command.read("a.png").dropFirst($0).prefix(4).reduce(0) { $0 << 8 | Int($1) } }
    #expect(report.hasPrefix("a.webp → a.png: \(sides[0]) × \(sides[1]), "), "\(report)")
  }

  @Test func foldersAreCreatedOnlyForWrittenFiles() throws {
    try command.bring("riff-text.webp", as: "a.webp")
    #expect(try command.webp("decode", "nothing.webp", "a.webp", "-o", "out/").status == 1)
    #expect(try command.files == ["a.webp"])

    // The file has the headers and half of the data.
    let picture = try TestFile.vector("encoder-cwebp-q75.webp")
    try picture.prefix(picture.count / 2).write(to: command.folder.appendingPathComponent("a.webp"))
    try command.bring("animation-third-frame-broken.webp", as: "b.webp")
    for words in ["decode a.webp -o out/", "decode a.webp -f bmp -o out/", "frames a.webp -o out"] {
      #expect(try command.shell("./webp \(words)").status == 1)
      #expect(try command.files == ["a.webp", "b.webp"], "\(words)")
    }
    #expect(try command.webp("frames", "b.webp", "-o", "out/").status == 1)
    #expect(try command.shell("ls out").text == "b-0000.png\nb-0001.png\n", "a folder that has files is not removed")
    #expect(try command.shell("mkdir mine; ./webp decode a.webp -o mine/; ls -d mine").text == "mine\n")
  }

  /// The number means the width, or both sides of a box. Percentages apply to the cropped, oriented image.
  @Test(arguments: [
    ("--resize 20", "20 14"), ("--resize 50%", "34 23"), ("--resize 200%", "134 90"), ("--resize 0.1%", "1 1"),
    ("--fit 20", "20 13"), ("--fill 20", "30 20"), ("--crop 0,0,10,20 --resize 50%", "5 10"),
    ("--upright --resize 50%", "23 34"), ("--upright --fit 20", "13 20"),
  ])
  func sizesHaveShortForms(_ options: String, _ size: String) throws {
    try command.bringWithMetadata(as: "a.webp", exif: Data(Exif.turnedRight))
    let result = try command.shell("./webp decode a.webp -f ppm -o - \(options)")
    #expect(result.output.starts(with: Data("P6\n\(size)\n255\n".utf8)), "\(result.text.prefix(20)) \(result.errors)")
  }

  @Test func helpVersionAndUsageErrorsHaveTheirStatus() throws {
    let help = try command.webp("decode", "--help")
    #expect(help.status == 0 && help.text.contains("EXAMPLES") && help.text.contains("--no-fancy"))
    #expect(try command.webp("--version").status == 0)
    #expect(try command.webp("decode", "--version").text == command.webp("--version").text)
    #expect(try command.webp("decode").status == 64)
    #expect(try command.webp("decode", "--nonsense", "a.webp").status == 64)
    let unknown = try command.webp("decode", "a.webp", "--width", "50", "-o", "a.png")
    #expect(unknown.status == 64 && unknown.errors.contains("Unknown option '--width'"))
    let several = try command.webp("decode", "a.webp", "b.webp", "-o", "a.png")
    #expect(several.status == 64 && several.errors.contains("-o a.png/"))
    #expect(several.errors.contains("webp decode --help"))
  }
}
