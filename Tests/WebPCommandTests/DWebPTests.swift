import CommandSystem
import Foundation
import TestComparison
import TestSupport
import Testing

@testable import webp

/// Proves that the command accepts dwebp's command lines with the same results.
/// Expected values: the texts of libwebp's examples/dwebp.c, and its files if dwebp is installed.
@Suite struct DWebPTests {
  let command = try! Command(with: "encoder-cwebp-q75.webp")

  @Test func writtenFilesAreReported() throws {
    let size = try command.shell("./webp info a.webp").text.split(separator: " ")
    let result = try command.dwebp("a.webp", "-o", "a.png")
    #expect(result.status == 0 && result.output.isEmpty)
    let (width, height) = (size[1], size[3].dropLast())
    #expect(
      result.errors == """
        Decoded a.webp. Dimensions: \(width) x \(height) . Format: lossy. Now saving...
        Saved file a.png

        """)
    #expect(try command.dwebp("-quiet", "a.webp", "-o", "b.png").errors == "")
    let verbose = try command.dwebp("-v", "a.webp", "-o", "b.png").errors.split(separator: "\n")
    try #require(verbose.count == 4)
    #expect(verbose[0].wholeMatch(of: /Time to decode picture: \d+\.\d{3}s/) != nil)
    #expect(verbose[3].wholeMatch(of: /Time to write output: \d+\.\d{3}s/) != nil)
    #expect(try command.dwebp("-v", "-quiet", "a.webp", "-o", "b.png").errors == "")
  }

  @Test func nothingIsWrittenWithoutAnOutput() throws {
    try command.bring("encoder-cwebp-alpha-q20.webp", as: "a.webp")
    let result = try command.dwebp("a.webp")
    #expect(result.status == 0 && result.output.isEmpty)
    #expect(
      result.errors.wholeMatch(
        of: /File a\.webp can be decoded \(dimensions: \d+ x \d+  \(with alpha\)\. Format: lossy\)\.\nNothing .*\n/)
        != nil)
    #expect(try command.files == ["a.webp"])
  }

  @Test func standardStreamsAreReadAndWritten() throws {
    let picture = try TestFile.vector("encoder-cwebp-q75.webp")
    let result = try command.dwebp("-ppm", "-o", "-", "--", "-", input: picture)
    #expect(result.status == 0)
    #expect(result.output.starts(with: Data("P6\n".utf8)))
    #expect(result.errors.hasSuffix("Saved to stdout\n"))
    let lone = try command.dwebp("-", input: picture)
    #expect(lone.status == 1 && lone.errors == "Unknown option '-'\n")
  }

  @Test(arguments: [
    ("riff-text.webp", "3(BITSTREAM_ERROR)"), ("riff-cut-22-lossy.webp", "7(NOT_ENOUGH_DATA)"),
    ("riff-first-8-bytes.webp", "7(NOT_ENOUGH_DATA)"),
  ])
  func failuresHaveLibwebpsStatus(_ vector: String, _ status: String) throws {
    try command.bring(vector, as: "a.webp")
    let result = try command.dwebp("-quiet", "a.webp", "-o", "o.png")
    #expect(result.status == 1)
    #expect(result.errors == "Decoding of a.webp failed.\nStatus: \(status)\n")
    #expect(try command.files == ["a.webp"])
  }

  /// As in dwebp, the time precedes the failure.
  @Test(arguments: ["", "-incremental"]) func timesOfFailuresAreReported(_ option: String) throws {
    let result = try command.shell("head -c 900 a.webp > b.webp; ./dwebp -v \(option) b.webp -o o.png")
    let lines = result.errors.split(separator: "\n")
    #expect(result.status == 1 && lines.count == 3)
    #expect(lines.first?.hasPrefix("Time to decode picture: ") == true, "\(result.errors)")
    #expect(lines.dropFirst().first == "Decoding of b.webp failed.")
  }

  @Test(arguments: ["animation-lossy.webp", "animation-nothing.webp", "animation-no-frames.webp"])
  func animationsAreRejected(_ vector: String) throws {
    try command.bring(vector, as: "a.webp")
    let result = try command.dwebp("a.webp", "-o", "o.png")
    #expect(result.status == 1)
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count == 5)
    #expect(lines.first == "Error! Decoding of an animated WebP file is not supported.")
    #expect(lines.suffix(2) == ["Decoding of a.webp failed.", "Status: 4(UNSUPPORTED_FEATURE)"])
    #expect(try command.files == ["a.webp"])
  }

  @Test func unreadableAndUnwritableFilesAreReported() throws {
    try command.write("", to: "empty.webp")
    let missing = try command.dwebp("nothing.webp")
    #expect(missing.status == 1 && missing.errors == "cannot open input file 'nothing.webp'\n")
    let empty = try command.dwebp("empty.webp")
    #expect(empty.status == 1 && empty.errors == "Could not read 0 bytes of data from file empty.webp\n")
    let nowhere = try command.dwebp("-quiet", "a.webp", "-o", "no/o.png")
    #expect(nowhere.status == 1)
    #expect(nowhere.errors == "Error opening output file no/o.png\nError writing file no/o.png !!\n")
  }

  @Test func helpAndVersionArePrinted() throws {
    let help = try command.dwebp("-h")
    #expect(help.status == 0 && help.text.hasPrefix("Usage: dwebp in_file [options] [-o out_file]\n"))
    #expect(try command.dwebp("a.webp", "-help").text == help.text)
    #expect(try command.dwebp("-version").text == "1.6.0\n")
    let nothing = try command.dwebp()
    #expect(nothing.status == 1 && nothing.errors == "missing input file!!\n" && nothing.text == help.text)
  }

  @Test func optionsAreReadFromLeftToRight() throws {
    let last = try DWebPArguments(["-pam", "a", "-bmp", "-o", "x", "b", "-o", "y", "-nofancy"])
    #expect(last.input == "b" && last.output == "y" && last.format == .bmp)
    #expect(last.decoding.upsampling == .nearest && !last.decoding.bypassesLoopFilter)
    let dashes = try DWebPArguments(["a", "--", "-pam", "-bmp"])
    #expect(dashes.input == "-pam" && dashes.format == .png)
    #expect(try DWebPArguments(["a", "--"]).input == "a")
    #expect(try DWebPArguments(["-pixel_format", "BGR", "a"]).format == .ppm)
    #expect(try DWebPArguments(["-pixel_format", "bgrA", "a"]).pixelFormat == .bgraPremultiplied)
    #expect(try DWebPArguments(["-o", "-h", "a"]).output == "-h")
  }

  @Test(arguments: [
    (["a", "-o"], "Unknown option '-o'"), (["-crop", "1", "2", "3"], "Unknown option '-crop'"),
    (["-x", "a"], "Unknown option '-x'"), (["--help"], "Unknown option '--help'"), ([], "missing input file!!"),
    (["-resize", "a", "1", "b"], "Error! 'a' is not an integer."),
    (["-external_memory", "3", "a"], "Can't parse 'external_memory' value 3"),
    (["-pixel_format", "rgb", "a"], "Can't parse pixel_format rgb"), (["--"], "missing input file!!"),
  ])
  func invalidOptionsAreReported(_ arguments: [String], _ line: String) throws {
    let exit = try #require(#expect(throws: DWebP.Exit.self) { try DWebPArguments(arguments) })
    #expect(exit.errors == [line] && exit.output == DWebP.help && exit.code == 1)
  }

  /// The results of glibc's (int)strtoul(text, &end, 0).
  @Test(
    arguments: [
      ("0", 0), ("12", 12), ("012", 10), ("0x1F", 31), ("0X1f", 31), ("0x", 0), ("08", 0), ("  7px", 7), ("-3", -3),
      ("+4", 4), ("4294967297", 1), ("99999999999999999999", -1), ("-99999999999999999999", -1),
      ("2147483648", -2_147_483_648),
      ("", nil), ("px", nil), ("-", nil), ("- 1", nil), ("x1", nil),
    ] as [(String, Int32?)])
  func numbersAreParsedAsInC(_ text: String, _ number: Int32?) {
    #expect(cNumber(text) == number)
  }

  /// Debian's dwebp is older than the reference, libwebp 1.6. It converts lossless images to planes by another rule,
  /// and prints other messages for corrupt files. Therefore planes of lossless images and messages for corrupt files
  /// are not compared. A lossy image with alpha is written in all formats with all options, the others in all formats
  /// and with all options.
  @Test(.needs("dwebp"))
  func filesEqualThoseOfDwebp() throws {
    let vectors = [
      "encoder-cwebp-q75.webp", "encoder-cwebp-alpha-q20.webp", "encoder-cwebp-lossless-z6-alpha.webp",
      "encoder-cwebp-strong-filter.webp", "encoder-pillow-metadata.webp", "alpha-gradient-19x1.webp",
      "alpha-gradient-1x19.webp", "alpha-gradient-1x1.webp", "alpha-gradient-70x40.webp", "riff-lossy.webp",
      "riff-lossless.webp", "riff-cut-22-lossy.webp", "riff-text.webp",
    ]
    for vector in vectors {
      try command.bring(vector)
      let isLossless = try command.webp("info", vector).text.contains("lossless")
      var lines: [String] = []
      for option in [
        "-pam", "-ppm", "-pgm", "-bmp", "-tiff", "-yuv", "-alpha", "-pixel_format RGB_565", "-pixel_format rgbA_4444",
      ] {
        if isLossless && ["-pgm", "-yuv"].contains(option) { continue }
        let isComplete = ["-pam", "-yuv"].contains(option) || vector == "encoder-cwebp-alpha-q20.webp"
        for more in [
          "", "-nofancy", "-nofilter", "-dither 70", "-alpha_dither", "-flip", "-crop 3 5 9 7", "-resize 23 0 -flip",
        ] where more.isEmpty || isComplete {
          lines.append("\(option) \(more) \(vector) -o -")
        }
      }
      let results = zip(try results(of: "./dwebp", lines), try results(of: "dwebp", lines))
      for (line, (ours, theirs)) in zip(lines, results) {
        #expect((ours.status == 0) == (theirs.status == 0), "\(line)")
        #expect(ours.output == theirs.output, "\(line)")
        if theirs.status == 0 { #expect(ours.errors == theirs.errors, "\(line)") }
      }
    }
  }

  /// Returns the results of a program for several command lines. One shell runs all of them.
  private func results(of program: String, _ lines: [String]) throws -> [FinishedProcess] {
    let calls = lines.enumerated().map { "\(program) \($1) > output-\($0) 2> errors-\($0); echo $?" }
    let statuses = try command.shell(calls.joined(separator: "\n")).text.split(separator: "\n").compactMap { Int32($0) }
    try #require(statuses.count == lines.count)
    return try statuses.enumerated().map { index, status in
      let errors = String(decoding: try command.read("errors-\(index)"), as: UTF8.self)
      return FinishedProcess(status: status, output: try command.read("output-\(index)"), errors: errors)
    }
  }

}
