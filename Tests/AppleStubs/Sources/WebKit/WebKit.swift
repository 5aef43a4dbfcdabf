@_exported import Foundation
import FoundationNetworking
@_exported import ObjectiveC

@MainActor open class WKWebView: NSObject {
  open func evaluateJavaScript(
    _ script: String, completionHandler: (@MainActor @Sendable (Any?, (any Error)?) -> Void)? = nil
  ) {}
}

@MainActor open class WKWebViewConfiguration: NSObject {
  open func setURLSchemeHandler(_ handler: (any WKURLSchemeHandler)?, forURLScheme scheme: String) {}
}

@MainActor public protocol WKURLSchemeHandler: NSObjectProtocol {
  func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask)
  func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask)
}

@MainActor public protocol WKURLSchemeTask: NSObjectProtocol {
  var request: URLRequest { get }
  func didReceive(_ response: URLResponse)
  func didReceive(_ data: Data)
  func didFinish()
  func didFailWithError(_ error: any Error)
}

public enum WKUserScriptInjectionTime: Int, Sendable { case atDocumentStart, atDocumentEnd }

@MainActor open class WKUserScript: NSObject {
  public init(source: String, injectionTime: WKUserScriptInjectionTime, forMainFrameOnly: Bool) {}
}

@MainActor open class WKUserContentController: NSObject {
  open var userScripts: [WKUserScript] { [] }
  open func addUserScript(_ userScript: WKUserScript) {}
  open func removeAllUserScripts() {}
  open func add(_ scriptMessageHandler: any WKScriptMessageHandler, name: String) {}
  open func removeScriptMessageHandler(forName name: String) {}
}

@MainActor open class WKFrameInfo: NSObject {
  open var isMainFrame: Bool { fatalError() }
}

@MainActor open class WKScriptMessage: NSObject {
  open var frameInfo: WKFrameInfo { fatalError() }
  open var body: Any { fatalError() }
  open weak var webView: WKWebView? { nil }
}

@MainActor public protocol WKScriptMessageHandler: NSObjectProtocol {
  func userContentController(_ controller: WKUserContentController, didReceive message: WKScriptMessage)
}
