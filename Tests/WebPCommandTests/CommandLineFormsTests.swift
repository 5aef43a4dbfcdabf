import Foundation
import Testing

@testable import webp

/// Proves that `decode` is the default subcommand, that mistakes are explained, and that no input is replaced.
/// Expected values: the output of complete command lines, and texts that are written in the tests.
@Suite struct CommandLineFormsTests {
  let command = try! Command(with: "encoder-cwebp-q75.webp")

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
    ("decode a.webp out.bmp", "out.bmp", "-f bmp"), ("decode a.webp -fpam", "a.pam", "-f pam"),
    ("decode a.webp -f TIF", "a.tiff", "-f tiff"),
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
    ("compress a.png", "does not encode"), ("convert a.webp", "did you mean decode?"),
    ("show a.webp", "did you mean view?"), ("identify a.webp", "did you mean info?"),
    ("thumbnail a.webp", "did you mean decode --fit 320?"),
    ("decode a.webp --outptu x.png", "Did you mean '--output'?"),
    ("-q 80 a.png", "80 does not exist. -q is --quiet"), ("decode -q 80 a.webp", "80 does not exist. -q is --quiet"),
    ("decode a.webp a.webp out.png", "out.png does not exist. To write to it, use -o out.png"),
    ("a.webp pngs/", "pngs/ is a folder. To write to it, use -o pngs/"),
    ("help decod", "unknown command decod; did you mean decode?"),
    ("decode --force", "no input; name a file, or - for standard input"),
    ("decode --fit 0 a.webp", "within a box, such as 320x240"),
    // Options are compared with the options of the subcommand, and with the subcommands.
    ("--info a.webp", "unknown option --info; did you mean webp info?"),
    ("frames --fram 1 a.webp", "Unknown option '--fram'. Did you mean '--frame'?"),
    ("a.webp --versoin", "unknown option --versoin; did you mean --version?"),
    ("decode a.webp -force", "unknown option -force; did you mean --force?"),
    ("decode a.webp -nofnacy", "Unknown option '-nofnacy'. Did you mean '--no-fancy'?"),
    ("decode --quality 80 a.webp", "unknown option --quality: webp does not encode"),
    // ArgumentParser takes these for options of one letter.
    ("decode a.webp -output b.png", "unknown option -output; did you mean --output?"),
    ("a.webp -photo", "Unknown option '-photo'"),
    // Formats that the command does not write.
    ("a.webp -o a.jpg", "cjpeg does: webp decode --upright --background white -f ppm -o - a.webp | cjpeg > a.jpg"),
    ("a.webp out.jpg", "out.jpg: webp does not write JPEG files"),
    ("in.png -o out.webp", "out.webp: webp does not encode"), ("a.webp -o a.xyz", "unknown output format"),
  ])
  func mistakesAreExplained(_ words: String, _ message: String) throws {
    let result = try command.shell("./webp \(words)")
    #expect(result.status == 64 && result.output.isEmpty && result.errors.contains(message), "\(result.errors)")
    #expect(try command.files == ["a.webp"])
  }

  @Test(arguments: ["a.webp b.png", "decode a.webp b.png", "-v a.webp b.png"])
  func aSecondOperandIsNotReplaced(_ words: String) throws {
    try command.write("mine", to: "b.png")
    let result = try command.shell("./webp \(words)")
    #expect(result.status == 64 && result.errors.contains("b.png exists already"))
    #expect(try command.read("b.png") == Data("mine".utf8))
    #expect(try command.files == ["a.webp", "b.png"])
  }

  /// A shell pattern such as `*.webp` may match names that resemble options.
  @Test(arguments: ["-h.webp", "-photo.webp", "-oa.webp", "-qv", "--level=9.webp"])
  func filesThatResembleOptionsAreReported(_ name: String) throws {
    try command.shell("cp a.webp ./\(name)").expectSuccess()
    for words in ["", "decode", "info", "view", "frames", "extract icc"] {
      let result = try command.shell("./webp \(words) \(name)")
      #expect(result.status == 64 && result.output.isEmpty)
      let word = name.contains("=") ? "'./\(name)'" : "./\(name)"
      #expect(result.errors.contains("\(name) is a file, but begins as an option does; write \(word), or --"))
    }
    #expect(try command.files == ["a.webp", name])
    try command.shell("./webp decode -o out.png -- \(name); ./webp info ./\(name)").expectSuccess()
    #expect(try command.read("out.png") == expected())
  }

  @Test func anOptionIsNotTheFileOfItsName() throws {
    try command.shell("touch ./-q ./--force; ./webp -q -f ppm --force a.webp").expectSuccess()
    #expect(try command.read("a.ppm") == expected("-f ppm"))
  }

  /// The options of `decode`, each with an operand if it needs one.
  static let options = [
    "-q", "--quiet", "-v", "--verbose", "-qv", "--force", "-r", "--recursive", "--partial",
    "--skip-existing", "--update", "-r --all", "--files-from none",
    "--still", "--frame 0", "--frame=0", "-o x.png", "-ox.png", "-oq3.png", "--output x.png", "--output=x.png",
    "-f ppm",
    "-fppm", "--format ppm", "--format=ppm", "-f png", "-f pam", "-f bmp", "-f tiff", "-f pgm", "-f yuv", "-f alpha",
    "--crop 1,2,30,40", "--crop=1,2,30,40", "--resize 20x30",
    "--resize 20", "--resize 50%", "--fit 32x32", "--fit 64", "--fill 64x64", "--fit 99x99 --enlarge", "--flip",
    "--upright", "--level 1", "--level=9", "--no-metadata", "--no-fancy", "--no-filter",
    "--dither 30", "--alpha-dither", "--threads 2", "--max-pixels 9999",
    "--max-bytes 99999", "--max-frames 1", "--max-total-pixels 9", "--pixels-per-byte 1", "--max-metadata 9",
    "--no-limits", "--keep-time",
    "--json", "--json-lines", "--background white", "--background=fff", "--keep-colors", "--metadata icc",
    "--fit 9,20 -o {name}{width}.png",
  ]

  /// Without a subcommand, `decode` gets the words, with each option before and after the file.
  @Test func theShortFormAcceptsAllOptionsInAllPositions() throws {
    for option in Self.options {
      for line in ["\(option) a.webp", "a.webp \(option)", "\(option) a.webp b.ppm", "a.webp b.ppm \(option)"] {
        let words = line.split(separator: " ").map(String.init)
        #expect(try CommandLineForms.withSubcommand(words) == ["decode"] + words)
      }
    }
  }

  /// The list above is complete.
  @Test func theListOfOptionsIsComplete() throws {
    let help = try command.webp("decode", "--help").text
    let names = help.matches(of: /\n  (?:(-\w), )?(--[a-z-]+)/).flatMap {
      [$0.1, $0.2].compactMap { $0.map(String.init) }
    }
    #expect(names.count > 40)
    let listed = Set(Self.options.flatMap { $0.split { " =".contains($0) } }.map(String.init))
    #expect(Set(names).subtracting(listed).subtracting(["--version", "-h", "--help"]) == [])
  }

  // MARK: Inputs

  /// No option makes the command overwrite its input, even if the output is another name of the same file.
  @Test(arguments: [
    "decode --force mis.png", "decode mis.png -o mis.png", "decode mis.png -o link.png", "decode mis.png -o other.png",
    "decode mis.png -o . --force", "decode -r . --force", "extract icc mis.png -o mis.png",
    "frames --force --frame 0 mis.png -o mis.png", "decode a.webp mis.png --force",
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
}
