import Foundation
import TestSupport
import Testing

/// Proves that only the folders `Kernels`, `Support`, `Concurrency`, and `Pointers` of CLibrary contain unsafe code.
/// Expected values: no line with the word `unsafe`, which strict memory safety requires at each use of a pointer.
@Suite struct UnsafeCodeTests {
  private static let folders: Set = ["Kernels", "Support", "Concurrency", "Pointers"]

  /// The sources of both decoders, of WebPExport and of the C library, with the numbers of the lines whose code
  /// contains the word.
  private static func sources() throws -> [(file: URL, lines: [Int])] {
    let modules = ["Sources/WebPFormat", "Sources/PureWebP", "Sources/PureWebPCompact", "Sources/WebPExport"]
    let files = try (modules + ["CLibrary/Sources"]).flatMap { path in
      let folder = TestFile.root.appendingPathComponent(path)
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

  /// A comment at the top of each file with unsafe code states why it stays in bounds.
  @Test func eachUnsafeFileStatesItsReason() throws {
    let sources = try Self.sources()
    #expect(sources.count { !$0.lines.isEmpty } > 10)
    let different = try sources.filter { file, lines in
      let text = try String(contentsOf: file, encoding: .utf8)
      return text.split(separator: "\n").contains { $0.hasPrefix("// Unsafe code: ") } == lines.isEmpty
    }
    #expect(different.map { "\($0.file.lastPathComponent): unsafe lines \($0.lines)" } == [])
  }

  /// The comment names a declaration in a file, or only a file, where the kernel is computed without vectors.
  @Test func eachKernelNamesItsPlainFormula() throws {
    let kernels = try Self.sources().map(\.file).filter { $0.pathComponents.contains("Kernels") }
    #expect(kernels.count > 40)
    for kernel in kernels {
      let text = try String(contentsOf: kernel, encoding: .utf8)
      let line = try #require(
        text.split(separator: "\n").first { $0.hasPrefix("// Plain formula: ") }, "\(kernel.lastPathComponent)")
      let path = try #require(line.split(separator: " ").last { $0.contains("/") }?.dropLast())
      let formulas = try String(contentsOf: TestFile.root.appendingPathComponent(String(path)), encoding: .utf8)
      if let name = line.split(separator: "`").dropFirst().first?.split(separator: ".").last {
        #expect(formulas.contains(name), "\(kernel.lastPathComponent): \(path) has no \(name)")
      }
    }
  }

  @Test func onlyDesignatedFoldersAreUnsafe() throws {
    let sources = try Self.sources()
    #expect(sources.count > 20)
    for (file, lines) in sources where Self.folders.isDisjoint(with: file.pathComponents) {
      #expect(lines.isEmpty, "\(file.lastPathComponent), lines \(lines)")
    }
  }
}
