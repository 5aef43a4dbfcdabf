import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPLoading
@testable import WebPWebView

/// Proves that the script for pages is valid JavaScript. `BrowserTests` proves what it does.
/// Expected values: the syntax check of Node.
@Suite struct ScriptTests {
  @Test(.needs("node")) func scriptsAreJavaScript() throws {
    let script = PageScript.source(handler: "a \"handler\"", fade: 0.25)
    #expect(script.hasSuffix(#"PureWebPBridge.start("a \"handler\"", 250);"#))
    let file = TemporaryFolder.place().appendingPathExtension("js")
    try Data(script.utf8).write(to: file)
    let check = try FinishedProcess(named: "node", ["--check", file.path])
    #expect(check.status == 0, "\(check.errors)")
  }
}
