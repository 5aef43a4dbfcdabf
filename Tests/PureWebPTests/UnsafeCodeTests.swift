import Foundation
import Testing

/// Proves that only the folders `Kernels`, `Support` and `Concurrency` contain unsafe code.
/// Expected values: no line with the word `unsafe`, which strict memory safety requires at each use of a pointer.
@Suite struct UnsafeCodeTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let folders: Set = ["Kernels", "Support", "Concurrency"]

  /// The sources of both decoders and of WebPExport, with the numbers of the lines whose code contains the word.
  private static func sources() throws -> [(file: URL, lines: [Int])] {
    let modules = ["WebPFormat", "PureWebP", "PureWebPCompact", "WebPExport"]
    let files = try modules.flatMap { module in
      let folder = root.appendingPathComponent("Sources").appendingPathComponent(module)
      return Array(try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)))
    }
    return try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.map { file in
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
      let found = lines.enumerated().filter { line in
        let code = line.element.components(separatedBy: "//")[0]
        return code.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.contains("unsafe")
      }
      return (file, found.map { $0.offset + 1 })
    }
  }

  /// The table in SECURITY.md lists exactly the files with unsafe code, and states why each stays in bounds.
  @Test func eachUnsafeFileIsDocumented() throws {
    let unsafe = try Self.sources().filter { !$0.lines.isEmpty }.map {
      $0.file.deletingPathExtension().lastPathComponent
    }
    let document = try String(contentsOf: Self.root.appendingPathComponent("SECURITY.md"), encoding: .utf8)
    let table = document.components(separatedBy: "| file |")[1].components(separatedBy: "\n\n")[0]
    let named = table.split(separator: "\n").flatMap { row in
      row.split(separator: "|")[0].split(separator: "`").map(String.init).filter {
        $0.allSatisfy(\.isLetter)
      }
    }
    #expect(unsafe.count > 10)
    #expect(Set(unsafe) == Set(named))
  }

  @Test func onlyDesignatedFoldersAreUnsafe() throws {
    let sources = try Self.sources()
    #expect(sources.count > 20)
    for (file, lines) in sources where Self.folders.isDisjoint(with: file.pathComponents) {
      #expect(lines.isEmpty, "\(file.lastPathComponent), lines \(lines)")
    }
  }
}
