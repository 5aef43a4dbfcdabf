#if canImport(WebKit)
  import Foundation
  import PureWebP
  import WebKit

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Replaces the WebP images of the pages that a WKWebView shows, by ``WebP/PageScript`` and with PNGs made here.
  ///
  /// ```swift
  /// let bridge = WebPScriptBridge()
  /// bridge.install(in: webView.configuration.userContentController)
  /// ```
  ///
  /// It works in the main frame, on any page, whatever the scheme of its images' URLs. Where pages are the app's own,
  /// ``WebPSchemeHandler`` needs no script.
  ///
  /// A page's scripts can ask the bridge for any URL, and read what they get. So images are loaded without the app's
  /// cookies and credentials, unless a configuration is given that has them.
  @MainActor
  public final class WebPScriptBridge: NSObject, WKScriptMessageHandler {
    private static let name = "pureWebP"

    private let session: InnerSession
    private let options: WebP.ConversionOptions
    private let fadeMilliseconds: Int

    /// - Parameters:
    ///   - configuration: for all requests.
    ///   - options: how pictures are converted.
    ///   - fadeMilliseconds: how long a picture takes to show.
    public init(
      configuration: URLSessionConfiguration = .ephemeral, options: WebP.ConversionOptions = .init(),
      fadeMilliseconds: Int = 250
    ) {
      session = InnerSession(configuration, keepsURLCache: true)
      self.options = options
      self.fadeMilliseconds = fadeMilliseconds
    }

    /// To be called before the first page is loaded. The controller keeps the bridge.
    public func install(in controller: WKUserContentController) {
      let source = WebP.PageScript.source + WebP.PageScript.bridge(Self.name, fadeMilliseconds: fadeMilliseconds)
      controller.addUserScript(
        WKUserScript(source: source, injectionTime: .atDocumentStart, forMainFrameOnly: true))
      controller.add(self, name: Self.name)
    }

    /// Called by WebKit.
    public func userContentController(_ controller: WKUserContentController, didReceive message: WKScriptMessage) {
      guard let body = message.body as? [String: Any], let request = body["id"] as? Int,
        let url = (body["url"] as? String).flatMap({ URL(string: $0) }),
        ["http", "https"].contains(url.scheme?.lowercased() ?? "")
      else { return }
      let view = WeakWebView(message.webView)
      PageImageLoad(options: options) { answer in
        let script = answer.script(for: request)
        DispatchQueue.main.async { view.evaluate(script) }
      }.start(url, session)
    }
  }

  /// Crosses queues without keeping the view.
  private final class WeakWebView: @unchecked Sendable {
    private weak var view: WKWebView?

    init(_ view: WKWebView?) { self.view = view }

    @MainActor func evaluate(_ script: String) { view?.evaluateJavaScript(script, completionHandler: nil) }
  }
#endif
