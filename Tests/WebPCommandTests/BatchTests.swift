import Foundation
import Testing

/// Proves that a batch writes the same files as separate calls, and that failures are counted and reported.
/// Expected values: files that the command writes for each input alone, and texts that are written in the tests.
@Suite struct BatchTests {
  let command = try! Command()

  private func bringImages(_ names: String...) throws {
    for name in names { try command.bring("encoder-cwebp-q75.webp", as: name) }
  }

  @Test func everyFileOfABatchEqualsASingleDecode() throws {
    let vectors = ["encoder-cwebp-q75.webp", "alpha-large.webp", "encoder-img2webp-animation.webp"]
    for (index, vector) in (0..<12).map({ ($0, vectors[$0 % 3]) }) { try command.bring(vector, as: "\(index).webp") }
    let result = try command.shell("./webp decode --threads 3 *.webp -o out/ 2>&1")
    result.expectSuccess()
    #expect(result.text.isEmpty)
    for (index, vector) in vectors.enumerated() {
      let expected = try command.webp("decode", "--threads", "1", "\(index).webp", "-o", "-").output
      for copy in stride(from: index, to: 12, by: 3) {
        #expect(try command.read("out/\(copy).png") == expected, "\(vector)")
      }
    }
  }

  @Test func failuresAreCountedAtTheEnd() throws {
    try bringImages("a.webp", "c.webp")
    try command.bring("riff-cut-22-lossy.webp", as: "b.webp")
    let result = try command.webp("decode", "a.webp", "b.webp", "c.webp", "missing.webp")
    #expect(result.status == 1)
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count == 3 && lines.last == "2 written, 2 failed", "\(result.errors)")
    #expect(lines.first?.hasPrefix("webp: b.webp: truncated: ") == true)
    #expect(lines.dropFirst().first == "webp: missing.webp: No such file or directory")
    #expect(try command.files.isSuperset(of: ["a.png", "c.png"]))
    #expect(try command.webp("decode", "-q", "--force", "a.webp", "b.webp").errors.split(separator: "\n").count == 1)
  }

  @Test func existingOutputsAreReportedOnce() throws {
    try bringImages("a.webp", "b.webp", "c.webp")
    for name in ["a.png", "b.png"] { try command.write("mine", to: name) }
    let refused = try command.webp("decode", "a.webp", "b.webp", "c.webp")
    #expect(refused.status == 1)
    #expect(
      refused.errors
        == "webp: 2 outputs exist already, such as a.png; --force replaces them, --skip-existing skips them\n"
        + "1 written, 2 failed\n")
    #expect(try command.read("c.png").count > 100)

    try command.shell("rm c.png").expectSuccess()
    let skipped = try command.webp("decode", "--skip-existing", "a.webp", "b.webp", "c.webp")
    #expect(skipped.status == 0 && skipped.errors.isEmpty)
    #expect(try command.read("a.png") == Data("mine".utf8) && command.read("c.png").count > 100)
    let verbose = try command.webp("decode", "--skip-existing", "-v", "a.webp", "b.webp").errors
    #expect(verbose.hasPrefix("a.webp: skipped, a.png exists\nb.webp: skipped, b.png exists\n"), "\(verbose)")
  }

  /// An output that -o names is skipped too.
  @Test func existingOutputsOfSingleInputsAreSkipped() throws {
    try bringImages("a.webp")
    try command.write("edited", to: "a.png")
    try command.webp("decode", "--skip-existing", "a.webp", "-o", "a.png").expectSuccess()
    try command.webp("decode", "--update", "a.webp", "-o", "a.png").expectSuccess()
    #expect(try command.read("a.png") == Data("edited".utf8))
    for options in ["--force --skip-existing", "--update --force", "--update --skip-existing"] {
      #expect(try command.shell("./webp decode \(options) a.webp").status == 64)
    }
  }

  /// With the input's time, an output is as new as its input.
  @Test func updatesReplaceOlderOutputs() throws {
    try bringImages("a.webp", "b.webp", "c.webp")
    for name in ["a.png", "b.png", "c.png"] { try command.write("old", to: name) }
    try command.shell("touch -d 2001-02-03 a.png c.png c.webp").expectSuccess()
    try command.webp("decode", "--update", "a.webp", "b.webp", "c.webp").expectSuccess()
    #expect(try command.read("a.png").count > 100)
    for name in ["b.png", "c.png"] { #expect(try command.read(name) == Data("old".utf8)) }
  }

  @Test(arguments: ["\n", "\0"]) func namesAreReadFromAList(separator: String) throws {
    try bringImages("a b.webp", "c.webp", "d.webp")
    try command.write("a b.webp\(separator)c.webp\(separator)missing.webp\(separator)", to: "list")
    let result = try command.webp("decode", "--files-from", "list", "d.webp", "-o", "out/")
    #expect(result.status == 1 && result.errors.contains("webp: missing.webp: No such file or directory\n"))
    #expect(try command.shell("ls out").text == "a b.png\nc.png\nd.png\n")
    let check = try command.shell("./webp check --files-from - < list")
    #expect(check.errors.hasSuffix("2 sound, 0 corrupt, 1 other error\n"), "\(check.errors)")
    #expect(try command.webp("check", "--files-from", "none").status == 1)
  }

  @Test func modificationTimesAreKept() throws {
    try bringImages("a.webp", "b.webp")
    try command.shell("touch -d '2001-02-03 04:05:06' *.webp; ./webp decode --keep-time *.webp").expectSuccess()
    try command.shell("./webp frames --keep-time a.webp; ./webp extract frame a.webp --keep-time -o f.webp")
      .expectSuccess()
    #expect(try command.shell("ls --time-style=full-iso -l *.png f.webp | grep -c '2001-02-03 04:05:06'").text == "4\n")
  }

  @Test func folderHierarchiesAreReproduced() throws {
    try command.shell("mkdir -p photos/2024/may photos/empty; ln -s .. photos/loop").expectSuccess()
    try bringImages("photos/a.webp", "photos/2024/b.WEBP", "photos/2024/may/c.webp")
    try command.write("text", to: "photos/notes.txt")
    try command.webp("decode", "-r", "photos", "-o", "new/out/").expectSuccess()
    #expect(
      try command.shell("find new -type f | sort").text
        == "new/out/2024/b.png\nnew/out/2024/may/c.png\nnew/out/a.png\n")
    try command.webp("decode", "-r", "photos/").expectSuccess()
    #expect(
      try command.shell("find photos -name '*.png' | sort").text
        == "photos/2024/b.png\nphotos/2024/may/c.png\nphotos/a.png\n")
    let plain = try command.webp("decode", "photos")
    #expect(plain.status == 1 && plain.errors == "webp: photos: a folder; -r decodes the WebP files in it\n")
  }

  @Test func emptyOutputFoldersAreRemoved() throws {
    try command.bring("riff-cut-22-lossy.webp", as: "a.webp")
    #expect(try command.webp("decode", "a.webp", "-o", "new/out/").status == 1)
    #expect(try command.files == ["a.webp"])
  }

  #if os(Linux)
    @Test func terminalsShowProgressAndTheTotal() throws {
      try bringImages("a.webp", "b.webp", "c.webp")
      let terminal = PseudoTerminal()
      let words = ["decode", "a.webp", "b.webp", "missing.webp", "c.webp"]
      let process = try command.start(words, at: terminal, stream: \.standardError)
      let text = String(decoding: terminal.readToEnd(), as: UTF8.self)
      process.waitUntilExit()
      #expect(text.contains("0 of 4") && text.contains("3 of 4, 1 failed, 0:0"))
      #expect(text.hasSuffix("3 written, 1 failed\r\n"))
    }
  #endif
}
