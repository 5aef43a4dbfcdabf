import Foundation
import TestSupport
import Testing

/// Proves that the paths and links in the documentation exist.
/// Expected values: the files of the repository.
@Suite struct DocumentedPathsTests {
  /// The text outside of code blocks.
  private static func prose(_ path: String) throws -> String {
    let text = try String(contentsOf: TestFile.root.appendingPathComponent(path), encoding: .utf8)
    return text.components(separatedBy: "```").enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
      .joined()
  }

  private static func exists(_ path: String, from folder: URL = TestFile.root) -> Bool {
    FileManager.default.fileExists(atPath: folder.appendingPathComponent(path).path)
  }

  @Test func pathsOfTheArchitecturePageExist() throws {
    let spans = try Self.prose("Documentation/Architecture.md").components(separatedBy: "`").enumerated()
    let paths = spans.filter { !$0.offset.isMultiple(of: 2) }.map(\.element).filter { $0.contains("/") }
    #expect(paths.count > 20)
    for path in paths { #expect(Self.exists(path), "\(path)") }
  }

  /// Links are relative to the page's folder.
  @Test(arguments: ["README.md", "Documentation/Architecture.md"])
  func linkedFilesExist(page: String) throws {
    let folder = TestFile.root.appendingPathComponent(page).deletingLastPathComponent()
    var count = 0
    for part in try Self.prose(page).components(separatedBy: "](").dropFirst() {
      let target = part.prefix { $0 != ")" && $0 != "#" && $0 != " " }
      guard !target.isEmpty, !target.contains("://") else { continue }
      #expect(Self.exists(String(target), from: folder), "\(target)")
      count += 1
    }
    #expect(count > 0)
  }

  /// Comments name files by path (`Output/Rescaler.swift`) or, for extensions, without the suffix.
  @Test func filesThatCommentsNameExist() throws {
    let folders =
      ["Sources", "Tests", "Conformance"]
      + ["Benchmarks", "CLibrary", "Fuzz", "Wasm"].map { "\($0)/Sources" }
    let paths = try folders.flatMap { folder -> [String] in
      let url = TestFile.root.appendingPathComponent(folder)
      return try #require(FileManager.default.enumerator(atPath: url.path)).compactMap { $0 as? String }
        .map { "\(folder)/\($0)" }
    }
    let swift = paths.filter { $0.hasSuffix(".swift") && !$0.contains("/.build") }
    // The tests of the doubles name the files of other libraries, from which their expectations come.
    let read = swift.filter { !$0.hasPrefix("Tests/AppleStubs/Tests/") }
    let known = Set(swift.map { "/" + $0 })
    var (names, missing) = (0, [String]())
    for path in read {
      let text = try String(contentsOf: TestFile.root.appendingPathComponent(path), encoding: .utf8)
      for line in text.split(separator: "\n") {
        guard let comment = line.range(of: "//").map({ line[$0.upperBound...] }) else { continue }
        let words = comment.split { !($0.isLetter || $0.isNumber || "+/._".contains($0)) }
        for word in words.map({ $0.hasSuffix(".") ? $0.dropLast() : $0 }) {
          let parts = word.split(separator: "+", omittingEmptySubsequences: false)
          let isExtension =
            parts.count == 2 && !word.contains("/") && !word.contains(".")
            && parts.allSatisfy { $0.first?.isUppercase == true && $0.contains(where: \.isLowercase) }
          guard isExtension || word.hasSuffix(".swift"), word != ".swift" else { continue }
          let file = isExtension ? "/\(word).swift" : "/\(word)"
          if !known.contains(where: { $0.hasSuffix(file) }) { missing.append("\(path) names \(word)") }
          names += 1
        }
      }
    }
    #expect(missing == [])
    #expect(names > 40)
  }
}
