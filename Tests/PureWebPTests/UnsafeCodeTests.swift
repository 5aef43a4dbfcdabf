import Foundation
import Testing

/// The promise that memory is touched by pointers in Kernels only: with strict memory safety the compiler demands
/// `unsafe` at each such place, so that the word tells where they are.
@Suite struct UnsafeCodeTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let core = root.appendingPathComponent("Sources/PureWebP")

  /// SECURITY.md says of each file with the word why it stays in bounds, and of no other.
  @Test func eachUnsafeFileIsAccountedFor() throws {
    let kernels = Self.core.appendingPathComponent("Kernels")
    var unsafe: Set<String> = []
    for name in try FileManager.default.contentsOfDirectory(atPath: kernels.path) where name.hasSuffix(".swift") {
      let text = try String(contentsOf: kernels.appendingPathComponent(name), encoding: .utf8)
      let code = text.split(separator: "\n").map { $0.components(separatedBy: "//")[0] }.joined(separator: "\n")
      if code.split(whereSeparator: { !$0.isLetter }).contains("unsafe") { unsafe.insert(String(name.dropLast(6))) }
    }
    let paper = try String(contentsOf: Self.root.appendingPathComponent("SECURITY.md"), encoding: .utf8)
    let table = paper.components(separatedBy: "| file |")[1].components(separatedBy: "\n\n")[0]
    let named = table.split(separator: "\n").flatMap { row in
      row.split(separator: "|")[0].split(separator: "`").map(String.init).filter {
        $0.allSatisfy(\.isLetter)
      }
    }
    #expect(unsafe.count > 10)
    #expect(unsafe == Set(named))
  }

  @Test func onlyKernelsAreUnsafe() throws {
    let core = Self.core
    let files = try #require(FileManager.default.enumerator(at: core, includingPropertiesForKeys: nil))
    var checked = 0
    for case let file as URL in files where file.pathExtension == "swift" {
      checked += 1
      if file.path.contains("/Kernels/") { continue }
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
      for (number, line) in lines.enumerated() {
        let code = line.components(separatedBy: "//")[0]
        let words = code.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        #expect(!words.contains("unsafe"), "\(file.lastPathComponent):\(number + 1): \(line)")
      }
    }
    #expect(checked > 20)
  }
}
