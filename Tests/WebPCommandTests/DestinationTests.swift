import Foundation
import Testing

/// Proves that all commands interpret -o by the same rule, and that no output replaces the output of another input.
/// Expected values: lists of files that are written in the tests.
@Suite struct DestinationTests {
  let command = try! Command()

  private func bring(_ names: String...) throws {
    for name in names { try command.bring("encoder-img2webp-animation.webp", as: name) }
  }

  private var tree: String {
    get throws { try command.shell("find . -type f ! -name '*.webp' | sort | sed 's/^..//' | tr '\\n' ' '").text }
  }

  @Test(arguments: [
    // A command line with one output writes a file.
    ("decode a.webp -o x", "x "), ("decode a.webp -o x.bmp", "x.bmp "), ("frames a.webp --frame 1 -o x.bmp", "x.bmp "),
    ("frames a.webp --frame 1 -o x", "x "), ("extract frame a.webp -o x", "x "),
    // A slash, and an existing folder.
    ("decode a.webp -o x/", "x/a.png "), ("decode a.webp -o d", "d/a.png "),
    ("decode a.webp -o x.bmp/", "x.bmp/a.png "),
    ("frames a.webp --frame 1 -o x/", "x/a-0001.png "), ("frames a.webp --frame 1 -o d", "d/a-0001.png "),
    // Several outputs.
    ("decode a.webp b.webp -o x", "x/a.png x/b.png "), ("decode a.webp b.webp -o x/y", "x/y/a.png x/y/b.png "),
    ("decode -r in -o x", "x/c.png x/s/d.png "), ("frames a.webp -o x", "x/a-0000.png x/a-0001.png "),
    ("decode a.webp -o x/y.z/", "x/y.z/a.png "),
  ])
  func destinationsFollowOneRule(_ words: String, _ files: String) throws {
    try command.shell("mkdir -p d in/s").expectSuccess()
    try bring("a.webp", "b.webp", "in/c.webp", "in/s/d.webp")
    try command.shell("./webp \(words)").expectSuccess()
    #expect(try tree == files)
  }

  /// A new folder for several outputs whose name has an extension needs a slash, because the name was probably meant
  /// for a file.
  @Test(arguments: [
    "decode a.webp b.webp -o x.png", "decode a.webp b.webp -o x.d", "decode -r in -o x.gif", "frames a.webp -o x.gif",
    "frames a.webp --frame 0-1 -o x.webp", "extract frame a.webp --frame 0- -o x.webp",
  ])
  func namesOfFilesAreNotUsedForFolders(_ words: String) throws {
    try command.shell("mkdir in").expectSuccess()
    try bring("a.webp", "b.webp", "in/c.webp")
    let result = try command.shell("./webp \(words)")
    #expect(result.status == 64 && result.errors.contains("several files need a folder to go to: -o x"))
    try command.write("mine", to: "x")
    let existing = try command.shell("./webp \(words.prefix { $0 != "x" })")
    #expect(existing.status == 64)
    #expect(try tree == "x ")
  }

  @Test func foldersWithoutWebPFilesAreReported() throws {
    try command.shell("mkdir -p empty/d; touch empty/d/a.png").expectSuccess()
    let result = try command.webp("decode", "-r", "empty")
    #expect(result.status == 1 && result.errors.hasPrefix("webp: empty: no WebP files in this folder\n"))
  }

  /// Only the last extension of an input is replaced, and only the last one counts.
  @Test(arguments: [
    ("photo.v1.webp", "photo.v1"), ("photo.v2.webp", "photo.v2"), ("photo.webp.webp", "photo.webp"), ("photo", "photo"),
    ("photo.", "photo"), ("photo..", "photo."), (".webp", ".webp"), (".photo.webp", ".photo"),
    ("a.b.c.d.webp", "a.b.c.d"),
    ("photo.png.webp", "photo.png"),
  ])
  func outputsAreNamedAfterTheirInput(_ input: String, _ stem: String) throws {
    try bring(input)
    try command.shell("./webp decode -f bmp \(input); ./webp frames -f bmp --frame 1 \(input)").expectSuccess()
    try command.shell("./webp extract frame \(input) -o x/").expectSuccess()
    #expect(try command.files == [input, "\(stem).bmp", "\(stem)-0001.bmp", "x"])
    #expect(try command.shell("ls -A x").text == "\(stem)-0000.webp\n")
  }

  /// Names that differ only before the extension have different outputs. Names that differ in the extension share one.
  @Test func collisionsAreReported() throws {
    try bring("photo.v1.webp", "photo.v2.webp", "photo", "photo.WEBP")
    for words in ["decode", "frames --frame 0"] {
      let result = try command.shell("./webp \(words) photo.v1.webp photo.v2.webp photo photo.WEBP -o x/")
      #expect(result.status == 64 && result.errors.contains("photo and photo.WEBP have the same output"))
      try command.shell("./webp \(words) photo.v1.webp photo.v2.webp photo -o x/").expectSuccess()
      let suffix = words == "decode" ? "" : "-0000"
      let names = ["photo", "photo.v1", "photo.v2"].map { "\($0)\(suffix).png\n" }
      #expect(try command.shell("ls x | LC_ALL=C sort; rm -r x").text == names.joined())
    }
  }
}
