import Foundation
import Testing

/// Proves that `decode` is the default subcommand, that mistakes are explained, and that no input is replaced.
/// Expected values: the output of complete command lines, and texts that are written in the tests.
@Suite struct CommandLineFormsTests {
  let command = try! Command()

  init() throws { try command.bring("encoder-cwebp-q75.webp", as: "a.webp") }

  private func expected(_ words: String...) throws -> Data {
    let result = try command.shell("./webp decode a.webp \(words.joined(separator: " ")) -o -")
    result.expectSuccess()
    return result.output
  }

  @Test(arguments: [
    ("a.webp", "a.png", ""), ("./a.webp", "a.png", ""), ("a.webp out.bmp", "out.bmp", "-f bmp"),
    ("a.webp out.png --resize 20x", "out.png", "--resize 20x"), ("--resize 20x a.webp", "a.png", "--resize 20x"),
    ("-o b.png a.webp", "b.png", ""), ("decode a.webp -ob.png", "b.png", ""),
    ("decode a.webp -fPPM", "a.ppm", "-f ppm"), ("decode a.webp -f PNG", "a.png", ""),
    ("decode a.webp -fpam", "a.pam", "-f pam"), ("decode a.webp -f TIF", "a.tiff", "-f tiff"),
  ])
  func decodeIsTheDefaultSubcommand(_ words: String, _ output: String, _ options: String) throws {
    let result = try command.shell("./webp \(words)")
    result.expectSuccess()
    #expect(result.output.isEmpty)
    #expect(try command.read(output) == expected(options))
    #expect(try command.files == ["a.webp", output])
  }

  @Test(arguments: [
    ("decod a.webp", "unknown command decod; did you mean decode?"), ("inof a.webp", "did you mean info?"),
    ("rotate a.webp", "unknown command rotate; see webp --help"), ("encode a.png", "does not encode"),
    ("convert a.webp", "does not encode"), ("-q 80 a.png", "does not encode"),
    ("decode -q 80 a.webp", "80 does not exist. -q is --quiet"),
    ("decode a.webp out.png", "out.png does not exist. To write to it, use -o out.png"),
    ("a.webp out.jpg", "out.jpg does not exist. Outputs are named with -o, and their formats are png, pam"),
    ("a.webp pngs/", "pngs/ is a folder. To write to it, use -o pngs/"),
    ("help decod", "unknown command decod; did you mean decode?"), ("--verison", "Unknown option '--verison'"),
    ("decode --force", "no input; name a file, or - for standard input"),
    ("decode --fit 320 a.webp", "within a box, such as 320x240"),
  ])
  func mistakesAreExplained(_ words: String, _ message: String) throws {
    let result = try command.shell("./webp \(words)")
    #expect(result.status == 64 && result.output.isEmpty && result.errors.contains(message), "\(result.errors)")
    #expect(try command.files == ["a.webp"])
  }

  @Test func aSecondOperandIsNotReplaced() throws {
    try command.write("mine", to: "b.png")
    let result = try command.webp("a.webp", "b.png")
    #expect(result.status == 64 && result.errors.contains("b.png exists already"))
    #expect(try command.read("b.png") == Data("mine".utf8))
  }

  // MARK: Inputs

  /// No option makes the command overwrite its input, even if the output is another name of the same file.
  @Test(arguments: [
    "decode --force mis.png", "decode mis.png -o mis.png", "decode mis.png -o link.png", "decode mis.png -o other.png",
    "decode mis.png -o . --force", "decode -r . --force", "extract icc mis.png -o mis.png",
    "frames --force --only 0 mis.png -o mis.png", "decode a.webp mis.png --force",
  ])
  func noInputIsReplaced(_ words: String) throws {
    try command.bringWithMetadata(as: "mis.png")
    try command.shell("ln -s mis.png link.png; ln mis.png other.png; cp mis.png mis.webp").expectSuccess()
    let before = try command.read("mis.png")
    if words.contains("-r") { try command.shell("ln -f mis.webp mis.png").expectSuccess() }
    let result = try command.shell("./webp \(words)")
    #expect(result.status == 1 && result.errors.contains("never replaced"), "\(result.errors)")
    for name in ["mis.png", "other.png", "mis.webp"] { #expect(try command.read(name) == before) }
  }

  @Test func otherFormatsAreReportedBeforeExistingOutputs() throws {
    try command.webp("decode", "a.webp", "-o", "real.png").expectSuccess()
    let before = try command.read("real.png")
    for words in ["decode real.png", "decode --force real.png", "real.png", "info real.png"] {
      let result = try command.shell("./webp \(words)")
      #expect(result.status == 1 && !result.errors.contains("exists already"), "\(result.errors)")
      #expect(result.errors.hasPrefix("webp: real.png: a PNG image, not WebP"))
    }
    #expect(try command.read("real.png") == before)
  }

  #if os(Linux)
    /// The memory of the process is limited, so the test fails if the command reads the complete input.
    @Test(arguments: ["info -", "decode - -o x.png", "frames - -o x/", "extract icc -"])
    func endlessInputsThatAreNotWebPAreRejected(_ words: String) throws {
      let result = try command.shell(
        "head -c 4000000000 /dev/zero 2>&- | (/usr/bin/env bash -c 'ulimit -v 400000; exec ./webp \(words)')")
      #expect(result.status == 1)
      #expect(result.errors.hasPrefix("webp: standard input: not a WebP file"))
      #expect(try command.files == ["a.webp"])
    }

    @Test func aPipeIsReadToTheEndOfItsContainer() throws {
      let result = try command.shell(
        "(cat a.webp; exec head -c 4000000000 /dev/zero) | bash -c 'ulimit -v 400000; exec ./webp decode - -o -'")
      result.expectSuccess()
      #expect(try result.output == expected())
    }
  #endif

  // MARK: Names of other tools

  @Test func webpmuxExtractsFramesAndMetadata() throws {
    try command.bringWithMetadata(as: "m.webp")
    try command.bring("encoder-img2webp-animation.webp", as: "animation.webp")
    for part in ["icc", "exif", "xmp"] {
      try command.shell("./webpmux -get \(part) m.webp -o got; ./webp extract \(part) m.webp | cmp - got")
        .expectSuccess()
    }
    try command.shell(
      "./webpmux -get frame 2 animation.webp -o got; ./webp extract frame animation.webp --number 1 | cmp - got"
    ).expectSuccess()
    let refused = try command.shell("./webpmux -strip exif m.webp -o out.webp")
    #expect(refused.status == 1 && refused.errors.contains("-strip is not supported"))
  }

  @Test func vwebpShowsImages() throws {
    let shown = try command.shell("./vwebp a.webp")
    shown.expectSuccess()
    #expect(try !shown.output.isEmpty && shown.output == command.webp("view", "a.webp").output)
  }
}
