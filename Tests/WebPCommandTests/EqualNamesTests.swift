import Foundation
import TestComparison
import TestSupport
import Testing

/// Proves that no input is left out silently if inputs have equal names, in one process, in several and repeatedly.
/// Expected values: the numbers and names of the inputs, and the recipes in Documentation/Command.md.
@Suite struct EqualNamesTests {
  private let command = try! Command()

  /// Makes the tree `photos`, in which two files have each name.
  init() throws {
    try command.shell("mkdir -p photos/2023 photos/2024/may").expectSuccess()
    try bring(["photos/2023/IMG_1.webp", "photos/2024/may/IMG_1.webp", "photos/2023/IMG_2.webp"])
    try command.bring("encoder-cwebp-lossless-z0.webp", as: "photos/2024/IMG_2.webp")
  }

  private func bring(_ names: [String]) throws {
    for name in names { try command.bring("encoder-cwebp-q75.webp", as: name) }
  }

  /// The paths of the files in a folder, relative to it and sorted.
  private func found(_ folder: String) throws -> [String] {
    try command.shell("cd \(folder) && find . -type f | sort").text.split(separator: "\n").map {
      String($0.dropFirst(2))
    }
  }

  private static let tree = ["2023/IMG_1", "2023/IMG_2", "2024/IMG_2", "2024/may/IMG_1"]

  @Test(arguments: [
    "find photos -name '*.webp' | ./webp decode --files-from - -o out/",
    "find ./photos -name '*.webp' -print0 | ./webp decode --files-from - -o out",
    "./webp decode photos/2023/*.webp photos/2024/*.webp photos/2024/may/*.webp -o 'out/{folder}/{name}.png'",
    "echo photos/./2024 | ./webp decode -r --files-from - -o out; ./webp decode photos/2023/* -o out/photos/2023",
  ])
  func pathsAreKeptAsWritten(_ line: String) throws {
    try command.shell(line).expectSuccess()
    #expect(try found("out") == Self.tree.map { "photos/\($0).png" })
  }

  @Test func absolutePathsBecomeRelative() throws {
    let path = "\(command.folder.path)/photos/2023/IMG_1"
    try command.shell("echo \(path).webp | ./webp decode --files-from - -o out").expectSuccess()
    #expect(try found("out") == ["\(path.dropFirst()).png"])
  }

  @Test func pathsOutsideOfTheFolderAreErrors() throws {
    try command.shell("mkdir in; cp photos/2023/*.webp in").expectSuccess()
    for line in [
      "printf '../in/IMG_1.webp\\nIMG_2.webp\\n' | ../webp decode --files-from - -o out",
      "../webp decode ../in/IMG_1.webp IMG_2.webp -o 'out/{folder}/{name}.png'",
    ] {
      let result = try command.shell("cd in; rm -rf out; \(line)")
      #expect(
        result.status == 1 && result.errors.contains("../in/IMG_1.webp: the path contains .."), "\(result.errors)")
      #expect(try found("in/out") == ["IMG_2.png"])
    }
  }

  @Test(arguments: [
    "decode photos/2023/IMG_1.webp photos/2024/may/IMG_1.webp -o out/", "decode -r photos/2023 photos/2024/may -o out",
    "decode photos/2023/IMG_1.webp photos/2024/may/IMG_1.webp -o 'out/{name}.png'",
    "decode photos/2023/IMG_1.webp photos/2024/may/IMG_1.webp -o out/ --skip-existing",
    "decode --update -r photos/2023 photos/2024/may -o out", "decode a.webp a.WEBP",
    "frames photos/2023/IMG_1.webp photos/2024/may/IMG_1.webp -o out/",
  ])
  func equalOutputsFailBeforeAnythingIsWritten(_ words: String) throws {
    try bring(["a.webp", "a.WEBP"])
    let result = try command.shell("./webp \(words)")
    #expect(result.status == 64 && result.errors.contains(" have the same output "), "\(result.errors)")
    #expect(try command.files == ["a.webp", "a.WEBP", "photos"])
  }

  @Test(arguments: [
    "decode a.webp a.webp ./a.webp", "decode a.webp ./a.webp -o out/", "decode a.webp ./out/../a.webp -o out/",
    "frames a.webp ./a.webp", "decode -q -r . --skip-existing a.webp",
  ])
  func theSameInputIsDoneOnce(_ words: String) throws {
    try command.shell("rm -r photos; mkdir out").expectSuccess()
    try bring(["a.webp"])
    let result = try command.shell("./webp \(words)")
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
  }

  /// Each recipe of the manual for many files writes an output for each input, and a second run writes nothing.
  @Test(arguments: [1, 2, 4]) func recipesKeepAllFiles(_ processes: Int) throws {
    let manual = try String(
      contentsOf: TestFile.root.appendingPathComponent("Documentation/Command.md"), encoding: .utf8)
    var recipes = manual.matches(of: /`(find photos [^`]*webp decode [^`]*)`/).map {
      String($0.output.1).replacing("\\|", with: "|")
    }
    recipes += manual.matches(of: /`(webp decode [^`]*-r photos[^`]*)`/).map { String($0.output.1) }
    #expect(recipes.count >= 3)
    for recipe in recipes {
      let line = recipe.replacing("webp decode", with: "./webp decode")
      let once = try command.shell("rm -rf pngs; \(line)")
      #expect(once.status == 0 && once.errors.isEmpty, "\(line): \(once.errors)")
      #expect(try found("pngs").count == Self.tree.count, "\(line)")
      let times = "find pngs -type f -printf '%T@ %p\\n' | sort"
      let before = try command.shell(times).text
      let again = try command.shell(
        Array(repeating: "{ \(line); } &", count: processes).joined(separator: " ") + " wait")
      #expect(again.status == 0)
      #expect(try command.shell(times).text == before, "\(line)")
    }
  }

  /// The recipe for GNU parallel, on this machine only.
  @Test(.needs("parallel")) func theRecipeForSeveralMachinesKeepsAllFiles() throws {
    let manual = try String(
      contentsOf: TestFile.root.appendingPathComponent("Documentation/Command.md"), encoding: .utf8)
    let recipe = try #require(manual.firstMatch(of: /```\n(find photos[^`]*parallel[^`]*)```/)).output.1
    let line = recipe.replacing("-S host1,host2", with: "-S :").replacing("-n 50", with: "-n 1")
    try command.write("nothing", to: "photos/2023/text.webp")
    try command.shell("PATH=\"$PWD:$PATH\"; \(line)").expectSuccess()
    #expect(try found("pngs") == Self.tree.map { "photos/\($0).png" })
    let before = try command.shell("stat -c %Y%n pngs/*/*/*.png").text
    let again = try command.shell("PATH=\"$PWD:$PATH\"; \(line)")
    #expect(again.status == 0 && again.errors.contains("photos/2023/text.webp: not a WebP file"))
    #expect(try command.shell("stat -c %Y%n pngs/*/*/*.png").text == before)
    // Each file was tried once, because another machine would find the same error.
    let jobs = try String(decoding: command.read("jobs.tsv"), as: UTF8.self).split(separator: "\n")
    #expect(jobs.count == 6)
  }
}
