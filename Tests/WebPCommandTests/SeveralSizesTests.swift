import Foundation
import TestComparison
import TestSupport
import Testing

/// Proves that one command line writes several sizes, and chooses metadata and color types.
/// Expected values: the files of separate command lines, chunks that `PNGReader` finds, and texts in the tests.
@Suite struct SeveralSizesTests {
  private let command = try! Command()

  private func bringImages() throws {
    try command.shell("mkdir -p in/sub").expectSuccess()
    try command.bring("encoder-cwebp-q75.webp", as: "in/a.webp")
    try command.bring("vp8l-large.webp", as: "in/sub/b.webp")
    try command.bring("animation-random-7.webp", as: "in/c.webp")
  }

  /// Lossy, lossless and animated files, in two formats.
  @Test(arguments: ["png", "tiff"], ["", "--upright", "--background fff", "--flip", "--partial", "--fill"])
  func sizesEqualSeparateRuns(_ format: String, _ option: String) throws {
    try bringImages()
    let (words, box) = option == "--fill" ? ("", "--fill") : (option, "--fit")
    let pattern = "out/{folder}/{name}-{width}x{height}.\(format)"
    try command.shell("./webp decode -r in \(words) \(box) 9,20x300,1000 -o '\(pattern)'").expectSuccess()
    for name in ["a", "sub/b", "c"] {
      for (size, sides) in [("9", "9x9"), ("20x300", "20x300"), ("1000", "1000x1000")] {
        let output = "expected.\(format)"
        try command.shell("./webp decode in/\(name).webp \(words) \(box) \(size) -o \(output)").expectSuccess()
        #expect(try command.read("out/\(name)-\(sides).\(format)") == command.read(output), "\(name), \(size)")
      }
    }
    #expect(try command.shell("find out -type f | wc -l").text == "9\n")
  }

  @Test func existingSizesAreSkipped() throws {
    try bringImages()
    let words = "in/a.webp --fit 9,20 -o '{name}-{width}.png'"
    try command.shell("./webp decode \(words)").expectSuccess()
    let refused = try command.shell("./webp decode \(words)")
    #expect(refused.status == 1 && refused.errors.contains("2 outputs exist already, such as a-9.png"))
    try command.shell("rm a-20.png; echo mine > a-9.png; ./webp decode --skip-existing \(words)").expectSuccess()
    #expect(try command.read("a-20.png").count > 100 && command.read("a-9.png") == Data("mine\n".utf8))
  }

  @Test func namesFollowThePattern() throws {
    try bringImages()
    try command.shell("./webp decode in/a.webp -o 'x/{name}.v2.bmp'; ./webp in/a.webp '{name}2.png'").expectSuccess()
    try command.shell("./webp decode - -o '{name}.png' < in/a.webp").expectSuccess()
    #expect(try command.files.isSuperset(of: ["x", "a2.png", "stdin.png"]))
    #expect(try command.read("x/a.v2.bmp").starts(with: Data("BM".utf8)))
    for (words, message) in [
      ("--fit 9,20", "several sizes need {width} or {height}"), ("--fit 9,20 -o out/", "several sizes need {width}"),
      ("-o '{width}.png'", "{width} and {height} need both sides"),
      ("--fit 9x -o '{name}{height}.png'", "{width} and {height} need both sides"),
      ("--fit 9,20 -o '{name}.png'", "several"),
      ("-o '{name}{nme}.png'", "unknown placeholder {nme}"), ("--fit 9,x", "--fit"), ("--fit 9,", "--fit"),
      ("-o '{name}.jpg'", "webp does not write JPEG files"),
    ] {
      let result = try command.shell("./webp decode in/a.webp \(words)")
      #expect(result.status == 64 && result.errors.contains(message), "\(words): \(result.errors)")
    }
    let same = try command.shell("./webp decode in/a.webp --fit 9x5,9x7 -o '{name}{width}.png'")
    #expect(same.status == 1 && same.errors.contains("a9.png is the output of several sizes"))
    #expect(try command.shell("./webp frames in/c.webp --fit 9,20").status == 64)
  }

  @Test(arguments: [
    ("", ["iCCP", "eXIf", "iTXt"]), ("--metadata icc", ["iCCP"]), ("--metadata exif,xmp", ["eXIf", "iTXt"]),
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
