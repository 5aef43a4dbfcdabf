import Foundation
import TestComparison
import TestSupport
import Testing

/// Proves that lines in messages can be pasted into a shell, and that misspelled words are recognized.
/// Expected values: the recipes in Documentation/Command.md, and texts in the tests.
@Suite struct AdviceTests {
  private let command = try! Command(with: "encoder-cwebp-q75.webp")

  private static let names = [
    "a.webp", "a b.webp", "$(touch evil).webp", "`touch evil`.webp", "it's;touch evil.webp", "x&touch evil.webp",
  ]

  /// Runs the lines that the messages suggest. Programs of the names cjpeg and ffmpeg record their last argument.
  @Test(arguments: names, ["jpg", "gif", "mp4"]) func advisedLinesNameTheFiles(_ name: String, _ kind: String) throws {
    try command.bring("encoder-cwebp-q75.webp", as: name)
    try command.shell(
      """
      printf '#!/bin/sh\\ncat\\n' > cjpeg
      printf '#!/bin/sh\\nfor last; do :; done; cp "$2" "$last"\\n' > ffmpeg
      chmod +x cjpeg ffmpeg
      """
    ).expectSuccess()
    let output = name.replacing(".webp", with: ".\(kind)")
    let result = try command.webp("decode", "-o", output, "--", name)
    #expect(result.status == 64)
    let advice = try #require(
      result.errors.split(separator: "\n").first?.firstRange(of: "does: ").map {
        String(result.errors.split(separator: "\n")[0][$0.upperBound...])
      })
    try command.write(advice, to: "line")
    try command.shell("PATH=\"$PWD:$PATH\" sh ./line").expectSuccess()
    let files = try command.files
    #expect(files.contains(output) && !files.contains("evil"), "\(advice)")
  }

  /// The options of the advice are the options of the manual.
  @Test(arguments: ["jpg", "gif", "mp4"]) func advisedLinesEqualTheManual(_ kind: String) throws {
    let manual = try String(
      contentsOf: TestFile.root.appendingPathComponent("Documentation/Command.md"), encoding: .utf8)
    func words(_ text: Substring) -> Set<String> {
      Set(text.split(separator: " ").map { String($0) }.filter { $0.hasPrefix("-") })
    }
    let lines = try command.webp("a.webp", "x.\(kind)").errors.split(separator: "\n")
    let advice = try #require(lines[0].firstRange(of: "does: ").map { lines[0][$0.upperBound...] })
    let start =
      kind == "jpg" ? "\nwebp decode photo.webp" : "\nffmpeg -i animation.png -\(kind == "gif" ? "filter" : "vf")"
    let recipe = try #require(manual.firstRange(of: start).map { manual[$0.lowerBound...] })
    let lineOfManual = String(recipe).replacing("\\\n", with: "").dropFirst().prefix { $0 != "\n" }
    let documented = words(lineOfManual)
    #expect(words(advice).isSuperset(of: documented.subtracting(["-icc"])), "\(advice)")
    #expect(lines[0].components(separatedBy: "x.\(kind): ").count == 2, "one message")
  }

  @Test(arguments: [
    ("--versoin", "--version"), ("--hlep", "--help"), ("--verison", "--version"), ("--halp", "--help"),
    ("decode --hlep", "--help"),
  ])
  func misspelledRootOptionsAreRecognized(_ words: String, _ option: String) throws {
    let result = try command.shell("./webp \(words)")
    #expect(result.status == 64 && result.errors.contains("did you mean \(option)?"), "\(result.errors)")
  }

  @Test(arguments: [
    ("webpinfo", "info --chunks"), ("webpmux", "extract"), ("anim_dump", "frames"),
    ("vwebp", "view"),
  ])
  func linksOfOtherProgramsAreExplained(_ name: String, _ replacement: String) throws {
    let result = try command.shell("ln -s webp \(name); ./\(name) a.webp")
    #expect(result.status == 64 && result.errors.contains("did you mean \(replacement)?"), "\(result.errors)")
    #expect(try command.files == ["a.webp", name])
  }
}
