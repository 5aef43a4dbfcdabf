import Foundation
import TestComparison
import TestSupport
import Testing

/// Proves that one command line writes several sizes, and chooses metadata and color types.
/// Expected values: the files of separate command lines, chunks that `PNGReader` finds, and texts in the tests.
@Suite struct SeveralSizesTests {
  private let command = try! Command()

  init() throws {
    try command.shell("mkdir -p in/sub").expectSuccess()
    try command.bring("encoder-cwebp-q75.webp", as: "in/a.webp")
    try command.bring("vp8l-large.webp", as: "in/sub/b.webp")
    try command.bring("animation-random-7.webp", as: "in/c.webp")
  }

  /// Lossy, lossless and animated files, in two formats. Results of the same size are written once.
  @Test(arguments: ["png", "tiff"], ["", "--upright", "--background fff", "--flip", "--partial", "--fill"])
  func sizesEqualSeparateRuns(_ format: String, _ option: String) throws {
    let (words, box) = option == "--fill" ? ("", "--fill") : (option, "--fit")
    let pattern = "out/{folder}/{name}-{width}x{height}.\(format)"
    try command.shell("./webp decode -r in \(words) \(box) 9,20x300,1000 -o '\(pattern)'").expectSuccess()
    var outputs: Set<String> = []
    for name in ["a", "sub/b", "c"] {
      for size in ["9", "20x300", "1000"] {
        let single = try command.shell("./webp decode -v in/\(name).webp \(words) \(box) \(size) -o expected.\(format)")
        let sides = try #require(single.errors.firstMatch(of: /: (\d+) × (\d+)/)).output
        let output = "out/\(name)-\(sides.1)x\(sides.2).\(format)"
        #expect(try command.read(output) == command.read("expected.\(format)"), "\(output)")
        outputs.insert(output)
      }
    }
    #expect(try command.shell("find out -type f | wc -l").text == "\(outputs.count)\n")
  }

  @Test func existingSizesAreSkipped() throws {
    let words = "in/a.webp --fit 9,20 -o '{name}-{width}.png'"
    try command.shell("./webp decode \(words)").expectSuccess()
    let refused = try command.shell("./webp decode \(words)")
    #expect(refused.status == 1 && refused.errors.contains("2 outputs exist already, such as a-9.png"))
    try command.shell("rm a-20.png; echo mine > a-9.png; ./webp decode --skip-existing \(words)").expectSuccess()
    #expect(try command.read("a-20.png").count > 100 && command.read("a-9.png") == Data("mine\n".utf8))
  }

  @Test func namesFollowThePattern() throws {
    try command.shell("./webp decode in/a.webp -o 'x/{name}.v2.bmp'; ./webp in/a.webp '{name}2.png'").expectSuccess()
    try command.shell("./webp decode - -o '{name}.png' < in/a.webp").expectSuccess()
    #expect(try command.files.isSuperset(of: ["x", "a2.png", "stdin.png"]))
    #expect(try command.read("x/a.v2.bmp").starts(with: Data("BM".utf8)))
    for (words, message) in [
      ("--fit 9,20", "several sizes need {width} or {height}"), ("--fit 9,20 -o out/", "several sizes need {width}"),
      ("--fit 9,20 -o '{name}.png'", "several"),
      ("-o '{name}{nme}.png'", "unknown placeholder {nme}"), ("--fit 9,x", "--fit"), ("--fit 9,", "--fit"),
      ("-o '{name}.jpg'", "webp does not write JPEG files"),
    ] {
      let result = try command.shell("./webp decode in/a.webp \(words)")
      #expect(result.status == 64 && result.errors.contains(message), "\(words): \(result.errors)")
    }
    // 20 × 13 and 19 × 13 pixels.
    let same = try command.shell("./webp decode in/a.webp --fit 20,19 -o '{name}{height}.png'")
    #expect(same.status == 1 && same.errors.contains("is the output of several sizes"), "\(same.errors)")
    let pipe = try command.shell("./webp decode - -o '{width}.png' < in/a.webp")
    #expect(pipe.status == 1 && pipe.errors.contains("a pipe cannot be read twice"))
    #expect(try command.shell("./webp frames in/c.webp --fit 9,20").status == 64)
  }

  /// The names have the sides of the images, which a browser compares for `srcset`.
  @Test func namesHaveTheRealSides() throws {
    try command.bringWithMetadata(as: "a.webp", exif: Data(Exif.turnedRight))
    let line = "./webp decode --update --upright --fit 20,40,1000,2000 a.webp -o '{name}-{width}x{height}.png'"
    try command.shell(line).expectSuccess()
    #expect(try command.files == ["in", "a.webp", "a-13x20.png", "a-27x40.png", "a-45x67.png"])
    for name in try command.files where name.hasPrefix("a-") {
      let png = try PNGReader([UInt8](command.read(name)))
      #expect(name == "a-\(png.width)x\(png.height).png")
    }
    let before = try command.shell("stat -c '%n %y' *.png").text
    try command.shell(line).expectSuccess()
    #expect(try command.shell("stat -c '%n %y' *.png").text == before)
    try command.shell("./webp decode --crop 0,0,9,5 a.webp -o '{width}-{height}.pam'").expectSuccess()
    #expect(try command.files.contains("9-5.pam"))
  }

  @Test(arguments: [
    ("", ["iCCP", "eXIf", "iTXt"]), ("--metadata all", ["iCCP", "eXIf", "iTXt"]), ("--metadata icc", ["iCCP"]),
    ("--metadata exif,xmp", ["eXIf", "iTXt"]),
    ("--no-metadata", []),
  ])
  func metadataIsChosenByKind(_ words: String, _ types: [String]) throws {
    try command.bringWithMetadata(as: "a.webp", exif: Data(Exif.turnedRight))
    let result = try command.shell("./webp decode a.webp \(words)")
    #expect(result.errors.contains("left out orientation") == !types.contains("eXIf"))
    let found = try PNGReader([UInt8](command.read("a.png"))).chunks.map(\.type)
    #expect(found.filter { ["iCCP", "eXIf", "iTXt"].contains($0) } == types)
  }

  @Test func unknownKindsAreRejected() throws {
    try command.bring("encoder-cwebp-q75.webp", as: "a.webp")
    for words in ["--metadata gps", "--metadata icc,", "--metadata icc --no-metadata", "--metadata icc,icc"] {
      #expect(try command.shell("./webp decode a.webp \(words)").status == 64, "\(words)")
    }
  }

  /// A tile of 40 RGB colors and a gray mask.
  @Test(arguments: [("terrain-tile.webp", 3), ("gray-mask.webp", 0)])
  func colorTypesAreKept(_ name: String, _ reduced: Int) throws {
    try Data(TestFile.bytes(name)).write(to: command.folder.appendingPathComponent("a.webp"))
    var files: [PNGReader] = []
    for words in ["", "--keep-colors --force", "--keep-colors -o - > a.png"] {
      try command.shell("./webp decode a.webp \(words)").expectSuccess()
      files.append(try PNGReader([UInt8](command.read("a.png"))))
    }
    #expect(files.map(\.colorType) == [reduced, 2, 2])
    for file in files { expectSame(file.pixels, files[0].pixels) }
    try command.shell("./webp frames a.webp --keep-colors -o f/").expectSuccess()
    #expect(try [2, 6].contains(PNGReader([UInt8](command.read("f/a-0000.png"))).colorType))
  }

  /// 300 pixels per inch are 11,811 per meter (PNG specification, third edition, section 11.3.4.3).
  @Test func resolutionsAreStored() throws {
    try Data(TestFile.bytes("exif-300dpi.webp")).write(to: command.folder.appendingPathComponent("a.webp"))
    try command.shell("./webp decode a.webp; ./webp decode a.webp -o a.tiff").expectSuccess()
    let png = try PNGReader([UInt8](command.read("a.png")))
    #expect(png.chunks.first { $0.type == "pHYs" }?.payload == [0, 0, 0x2E, 0x23, 0, 0, 0x2E, 0x23, 1])
    // A rational: 300 / 1, big-endian like the Exif block.
    #expect(try command.read("a.tiff").range(of: Data([0, 0, 1, 0x2C, 0, 0, 0, 1])) != nil)
  }
}
