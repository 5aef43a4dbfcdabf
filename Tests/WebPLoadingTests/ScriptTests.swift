import Foundation
import PureWebP
import TestSupport
import Testing

@testable import WebPLoading
@testable import WebPWebView

/// Proves that the script for pages is valid JavaScript. `BrowserTests` proves what it does.
/// Expected values: the syntax check of Node.
@Suite struct ScriptTests {
  private static let node = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { URL(fileURLWithPath: "\($0)/node") }
    .first { FileManager.default.isExecutableFile(atPath: $0.path) }

  @Test(.enabled(if: node != nil, "Node is not here"))
  func scriptsAreJavaScript() throws {
    let script = PageScript.source(handler: "a \"handler\"", fade: 0.25)
    #expect(script.hasSuffix(#"PureWebPBridge.start("a \"handler\"", 250);"#))
    let file = TemporaryFolder.place().appendingPathExtension("js")
    try Data(script.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = Self.node
    process.arguments = ["--check", file.path]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
