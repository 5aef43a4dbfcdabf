import Foundation
import TestComparison
import TestSupport
import Testing

/// Proves that programs can rely on the exit codes, the kinds of errors and the JSON of the command.
/// Expected values: Documentation/command-output.schema.json, and kinds and codes that are written in the tests.
@Suite struct ProgramOutputTests {
  private let command = try! Command(with: "encoder-cwebp-q75.webp")

  private func objects(_ result: FinishedProcess) throws -> [[String: Any]] {
    let lines = result.text.split(separator: "\n")
    return try lines.compactMap { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
  }

  /// All conformance vectors, each with and without its last bytes.
  private func bringVectors() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: TestFile.vectors.path).filter {
      $0.hasSuffix(".webp")
    }
    #expect(names.count > 100)
    for name in names {
      try command.bring(name)
      let bytes = try TestFile.vector(name)
      try bytes.dropLast(9).write(to: command.folder.appendingPathComponent("cut-\(name)"))
    }
    try command.write("text", to: "byte \u{10FFE9}.webp")
    try command.shell("cp encoder-cwebp-q75.webp \"$(printf 'byte \\351.webp')\"; : > empty.webp").expectSuccess()
  }

  /// `info` reads only headers, so it does not find all errors. It reports the others as `check` does.
  @Test func outputsFollowTheSchema() throws {
    try bringVectors()
    let schema = try JSONSchema(TestFile.root.appendingPathComponent("Documentation/command-output.schema.json"))
    var results: [String: [[String: Any]]] = [:]
    for (words, files) in [
      ("info", "*.webp"), ("info --frames --exif", "*.webp"), ("check", "*.webp"),
      ("decode -o out/ --fit 9", "byte*.webp *encoder*.webp *riff*.webp"),
    ] {
      let array = try command.shell("./webp \(words) --json \(files) missing.webp .")
      let value = try JSONSerialization.jsonObject(with: array.output)
      #expect(schema.violation(in: value) == nil, "\(words)")
      let lines = try objects(command.shell("rm -rf out; ./webp \(words) --json-lines \(files) missing.webp ."))
      #expect(lines.map { $0 as NSDictionary } == (value as? [[String: Any]])?.map { $0 as NSDictionary })
      #expect(lines.contains { $0["fileBase64"] != nil } && Set(lines.compactMap { $0["kind"] as? String }).count >= 4)
      results[words] = lines
    }
    var count = 0
    for (info, check) in zip(results["info"] ?? [], results["check"] ?? []) where info["kind"] is String {
      // A folder is an error of the operands, whose texts differ.
      if info["file"] as? String == "." { continue }
      let keys = ["file", "error", "kind"]
      #expect(keys.map { info[$0] as? String } == keys.map { check[$0] as? String })
      count += 1
    }
    #expect(count > 100)
    // The names in texts are UTF-8, too.
    let existing = try command.shell("./webp decode --json-lines \"$(printf 'byte \\351.webp')\" -o out/")
    #expect(try objects(existing).map { $0["kind"] as? String } == ["invalidOptions"])
    let wrong: [Any] = [["file": "a", "error": "b"], ["file": 1], ["file": "a", "other": 1], [:] as [String: Any]]
    for object in wrong { #expect(schema.violation(in: [object]) != nil) }
  }

  @Test(arguments: [
    ("a.webp", 0, nil), ("cut.webp", 1, "truncated"), ("corrupt.webp", 1, "corrupt"), ("text.webp", 1, "notWebP"),
    ("missing.webp", 1, "missing"), ("none/a.webp", 1, "missing"), ("a.webp --max-pixels 9", 1, "limitExceeded"),
    ("a.webp --max-bytes 9", 1, "limitExceeded"),
  ])
  func filesHaveAnExitCodeAndAKind(_ words: String, _ code: Int32, _ kind: String?) throws {
    try command.bring("alpha-chunk-empty.webp", as: "corrupt.webp")
    try TestFile.vector("encoder-cwebp-q75.webp").dropLast(40).write(
      to: command.folder.appendingPathComponent("cut.webp"))
    try command.write("text", to: "text.webp")
    for subcommand in ["check", "decode -o x.png"] {
      let result = try command.shell("./webp \(subcommand) --json-lines \(words)")
      #expect(result.status == code, "\(subcommand): \(result.errors)")
      #expect(try objects(result).map { $0["kind"] as? String } == [kind], "\(subcommand)")
    }
    for subcommand in ["info", "frames -o out/", "view --protocol cells"] where !words.contains("--") && code != 0 {
      #expect(
        try command.shell("./webp \(subcommand) \(words)").status
          == (words == "corrupt.webp" && subcommand == "info" ? 0 : 1))
    }
  }

  #if os(Linux)
    /// Another machine, or the same later, may succeed. This wins over files that are corrupt.
    @Test func failuresOfTheMachineHaveAnotherExitCode() throws {
      try command.write("text", to: "text.webp")
      try command.shell("ln -s /dev/full a.png").expectSuccess()
      for words in ["a.webp", "text.webp a.webp", "a.webp text.webp"] {
        let result = try command.shell("./webp decode --threads 1 --json-lines --force \(words)")
        #expect(result.status == 75, "\(result.errors)")
        #expect(try objects(result).contains { $0["kind"] as? String == "system" })
      }
      #expect(try command.shell("./webp frames a.webp -o /dev/full --frame 0").status == 75)
      #expect(try command.shell("./webp extract frame a.webp > /dev/full").status == 75)
      #expect(try command.shell("./webp info a.webp > /dev/full").status == 75)
      #expect(try command.shell("./dwebp a.webp -o /dev/full").status == 1)
      #expect(try command.shell("./webp decode a.webp -o missing/x.png").status == 1)
    }

    @Test(.enabled(if: FolderTests.canRunAsAnotherUser, "only root can run programs as another user"))
    func rightsAreOfTheMachine() throws {
      try command.bring("encoder-cwebp-q75.webp", as: "secret.webp")
      try command.shell("chmod 755 .; chmod 600 secret.webp").expectSuccess()
      for words in ["check a.webp secret.webp", "info secret.webp", "decode a.webp", "decode secret.webp -o -"] {
        let result = try command.shell("\(FolderTests.asAnotherUser) $(readlink -f webp) \(words)")
        #expect(result.status == 75 && result.errors.contains("Permission denied"), "\(words): \(result.errors)")
      }
    }
  #endif
}
