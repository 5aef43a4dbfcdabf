// Double of WebKit: WKWebView.h, WKWebViewConfiguration.h, WKURLSchemeHandler.h, WKURLSchemeTask.h, WKUserScript.h,
// WKUserContentController.h, WKScriptMessage.h, WKFrameInfo.h (iOS 13). WebKit raises an exception where this double
// traps.
@_exported import Foundation
import FoundationNetworking
@_exported import ObjectiveC

@MainActor open class WKWebView: NSObject {
  public let configuration: WKWebViewConfiguration
  /// Does nothing. For the examples.
  open func loadHTMLString(_ string: String, baseURL: URL?) {}
  /// The scripts that were evaluated, for tests.
  public private(set) var scripts: [String] = []

  public init(configuration: WKWebViewConfiguration = WKWebViewConfiguration()) { self.configuration = configuration }

  deinit { objc_releaseAssociations(of: ObjectIdentifier(self)) }

  open func evaluateJavaScript(
    _ script: String, completionHandler: (@MainActor @Sendable (Any?, (any Error)?) -> Void)? = nil
  ) { scripts.append(script) }

  /// Starts a task as for a subresource of a page, for tests.
  public func start(_ request: URLRequest) -> SchemeTask? {
    guard let handler = configuration.handlers[request.url?.scheme ?? ""] else { return nil }
    let task = SchemeTask(request)
    handler.webView(self, start: task)
    return task
  }

  /// Stops a task, as when the user leaves the page. WebKit stops no task that has ended.
  public func stop(_ task: SchemeTask) {
    guard !task.hasEnded else { return }
    task.isStopped = true
    configuration.handlers[task.request.url?.scheme ?? ""]?.webView(self, stop: task)
  }
}

@MainActor open class WKWebViewConfiguration: NSObject {
  fileprivate var handlers: [String: any WKURLSchemeHandler] = [:]
  public let userContentController = WKUserContentController()

  /// WKWebViewConfiguration.h: raises an exception for a scheme that WebKit handles, and for a second handler of a
  /// scheme.
  open func setURLSchemeHandler(_ handler: (any WKURLSchemeHandler)?, forURLScheme scheme: String) {
    precondition(!["http", "https", "file", "data", "about", "blob"].contains(scheme), "WebKit handles \(scheme)")
    precondition(handlers[scheme] == nil, "\(scheme) has a handler")
    handlers[scheme] = handler
  }
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

/// WKURLSchemeTask.h: each method raises an exception after the task has been completed or stopped. `didReceive` with
/// data, and `didFinish`, also raise an exception before the response.
@MainActor public final class SchemeTask: NSObject, WKURLSchemeTask {
  public let request: URLRequest
  public private(set) var response: URLResponse?
  public private(set) var data = Data()
  public private(set) var hasEnded = false
  public private(set) var error: (any Error)?
  fileprivate(set) public var isStopped = false

  init(_ request: URLRequest) { self.request = request }

  public func didReceive(_ response: URLResponse) {
    check()
    self.response = response
  }

  public func didReceive(_ data: Data) {
    check(needsResponse: true)
    self.data += data
  }

  public func didFinish() {
    check(needsResponse: true)
    hasEnded = true
  }

  public func didFailWithError(_ error: any Error) {
    check()
    self.error = error
    hasEnded = true
  }

  private func check(needsResponse: Bool = false) {
    precondition(!isStopped, "This task has already been stopped")
    precondition(!hasEnded, "This task has already been completed")
    precondition(!needsResponse || response != nil, "No response has been sent for this task")
  }
}

public enum WKUserScriptInjectionTime: Int, Sendable { case atDocumentStart, atDocumentEnd }

@MainActor open class WKUserScript: NSObject {
  public let source: String
  public init(source: String, injectionTime: WKUserScriptInjectionTime, forMainFrameOnly: Bool) {
    self.source = source
  }
}

@MainActor open class WKUserContentController: NSObject {
  open private(set) var userScripts: [WKUserScript] = []
  private var handlers: [String: any WKScriptMessageHandler] = [:]

  open func addUserScript(_ userScript: WKUserScript) { userScripts.append(userScript) }
  open func removeAllUserScripts() { userScripts = [] }

  /// Retains the handler. WebKit raises an exception for a second handler of a name.
  open func add(_ scriptMessageHandler: any WKScriptMessageHandler, name: String) {
    precondition(handlers[name] == nil, "\(name) has a handler")
    handlers[name] = scriptMessageHandler
  }

  open func removeScriptMessageHandler(forName name: String) { handlers[name] = nil }

  /// Delivers a message of a page, for tests.
  public func post(_ body: Any, name: String, from webView: WKWebView?, isMainFrame: Bool = true) {
    let message = WKScriptMessage(body, webView, WKFrameInfo(isMainFrame: isMainFrame))
    handlers[name]?.userContentController(self, didReceive: message)
  }
}

@MainActor open class WKFrameInfo: NSObject {
  public let isMainFrame: Bool
  init(isMainFrame: Bool) { self.isMainFrame = isMainFrame }
}

@MainActor open class WKScriptMessage: NSObject {
  public let body: Any
  public let frameInfo: WKFrameInfo
  public private(set) weak var webView: WKWebView?

  init(_ body: Any, _ webView: WKWebView?, _ frameInfo: WKFrameInfo) {
    (self.body, self.webView, self.frameInfo) = (body, webView, frameInfo)
  }
}

@MainActor public protocol WKScriptMessageHandler: NSObjectProtocol {
  func userContentController(_ controller: WKUserContentController, didReceive message: WKScriptMessage)
}
