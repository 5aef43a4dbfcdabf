import Foundation
import Testing

/// The promise that memory is touched by pointers in Kernels only: with strict memory safety the compiler demands
/// `unsafe` at each such place, so that the word tells where they are.
@Suite struct UnsafeCodeTests {
  @Test func onlyKernelsAreUnsafe() throws {
    let core = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources/PureWebP")
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
