import Foundation
import TestSupport
import Testing

/// Proves that each public declaration that yields pixels or frames states how it follows each rule.
/// Expected values: the lists of public declarations in Documentation/API, and the names of tests.
@Suite struct EntryRulesTests {
  private static let rules = [
    "orientation", "metadata", "size", "limits", "errors", "recovery", "cancellation", "timing",
  ]

  /// The rows of the table: an entry, and a cell for each rule.
  private static let table: [(entry: String, cells: [String])] = {
    let text = try! String(contentsOf: TestFile.root.appendingPathComponent("Tests/entry-rules.tsv"), encoding: .utf8)
    return text.split(separator: "\n").map { line in
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      return (columns[0], Array(columns.dropFirst()))
    }
  }()

  /// The declarations of all modules: the path of a symbol, and its declaration.
  private static let declarations: [(path: String, text: String)] = {
    let folder = TestFile.root.appendingPathComponent("Documentation/API")
    return try! FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().flatMap { name in
      try! String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8).split(separator: "\n").map { line in
        let parts = line.components(separatedBy: ": ")
        return (parts[0], parts.dropFirst().joined(separator: ": "))
      }
    }
  }()

  /// The types of pixels, frames, and sequences of them.
  private static let pixels = [
    "WebP.Image", "WebP.Animation.Frame", "WebP.RowDecoder.Strip", "WebP.Update", "WebP.WrittenFile",
    "WebP.EncodedFile", "WebP.ImageLoader.Loaded", "MutableSpan<UInt8>", "CGImage", "UIImage", "NSImage",
    "WebPCompact.Image", "WebPCompact.AnimationDecoder.Frame",
  ]

  /// Indicates whether a declaration yields pixels: its result, its value or its output parameter is one of `pixels`.
  /// Longer names do not count, such as `WebP.ImageInfo`.
  private static func yieldsPixels(_ text: String) -> Bool {
    guard !text.hasPrefix("conforms to"), text.contains("->") || text.contains("var ") || text.contains("inout") else {
      return false
    }
    let result = text.components(separatedBy: "->").last ?? ""
    let output = text.contains("inout") ? text : text.contains("->") ? result : text
    return pixels.contains { name in
      output.components(separatedBy: name).dropFirst().contains { rest in
        rest.first.map { !$0.isLetter } ?? true
      }
    }
  }

  @Test func eachEntryHasACellForEachRule() {
    #expect(Self.table[0].cells == Self.rules)
    for (entry, cells) in Self.table.dropFirst() {
      #expect(cells.count == Self.rules.count && !cells.contains(""), "\(entry)")
    }
    let entries = Self.table.dropFirst().map(\.entry)
    let found = Self.declarations.filter { Self.yieldsPixels($0.text) }
    #expect(found.count > 40)
    for (path, _) in found where !entries.contains(where: { path == $0 || path.hasPrefix($0 + ".") }) {
      Issue.record("Tests/entry-rules.tsv has no row for \(path)")
    }
  }

  @Test func entriesAndTestsExist() throws {
    for (entry, _) in Self.table.dropFirst() {
      #expect(Self.declarations.contains { $0.path == entry || $0.path.hasPrefix(entry + ".") }, "\(entry)")
    }
    let tests = TestFile.root.appendingPathComponent("Tests")
    let files = try #require(FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil))
    let sources = try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.map {
      try String(contentsOf: $0, encoding: .utf8)
    }
    let names = Set(Self.table.dropFirst().flatMap(\.cells).filter { !$0.hasPrefix("– ") })
    for name in names {
      #expect(sources.contains { $0.contains("func \(name)(") }, "there is no test \(name)")
    }
  }
}
