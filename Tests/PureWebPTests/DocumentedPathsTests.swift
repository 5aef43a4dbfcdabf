import Foundation
import Testing

/// Proves that the paths and links in the documentation exist.
/// Expected values: the files of the repository.
@Suite struct DocumentedPathsTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The text outside of code blocks.
  private static func prose(_ path: String) throws -> String {
    let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    return text.components(separatedBy: "```").enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
      .joined()
  }

  private static func exists(_ path: String, from folder: URL = root) -> Bool {
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
    let folder = Self.root.appendingPathComponent(page).deletingLastPathComponent()
    var count = 0
    for part in try Self.prose(page).components(separatedBy: "](").dropFirst() {
      let target = part.prefix { $0 != ")" && $0 != "#" && $0 != " " }
      guard !target.isEmpty, !target.contains("://") else { continue }
      #expect(Self.exists(String(target), from: folder), "\(target)")
      count += 1
    }
    #expect(count > 0)
  }
}
