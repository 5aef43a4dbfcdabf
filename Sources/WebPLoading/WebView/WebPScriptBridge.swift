#if canImport(WebKit)
  import Foundation
  import PureWebP
  import WebKit

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Replaces the WebP images of the pages in a `WKWebView` with PNGs, by running ``WebP/PageScript`` in the pages.
  ///
  /// The bridge is for systems before iOS 14 and macOS 11. Later systems support WebP, and would load each image twice
  /// with the bridge.
  ///
  /// ```swift
  /// if #unavailable(iOS 14, macOS 11) {
  ///   let bridge = WebPScriptBridge()
  ///   bridge.install(in: webView.configuration.userContentController)
  /// }
  /// ```
  ///
  /// The PNGs are `data` URLs, which the directive `img-src` of a page's Content-Security-Policy must allow. Before iOS
  /// 13.4 and macOS 10.15.4, images do not fade in.
  ///
  /// The bridge works in the main frame of any page. It replaces images with `http`, `https` and `data` URLs. It loads
  /// six images at a time. At most ten thousand requests with at most 64 MiB of URLs can wait; the bridge does not
  /// replace further images. For the app's own pages, ``WebPSchemeHandler`` works without a script.
  ///
  /// A page's scripts can request any URL from the bridge and read the result. Therefore images are loaded without the
  /// app's cookies and credentials, unless the configuration that you pass contains them.
  @MainActor
  public final class WebPScriptBridge: NSObject, WKScriptMessageHandler {
    private static let name = "pureWebP"

    private let session: UpstreamSession
    private let options: WebP.ConversionOptions
    private let fadeMilliseconds: Int

    /// Creates a bridge.
    ///
    /// - Parameters:
    ///   - configuration: the configuration of all requests.
    ///   - options: the options for the conversion of images.
    ///   - fadeMilliseconds: the duration of the fade-in.
    public init(
      configuration: URLSessionConfiguration = .ephemeral, options: WebP.ConversionOptions = .init(),
      fadeMilliseconds: Int = 250
    ) {
      session = UpstreamSession(configuration, keepsURLCache: true)
      self.options = options
      self.fadeMilliseconds = fadeMilliseconds
    }

    /// Installs the bridge. Must be called before the first page is loaded. The controller retains the bridge.
    public func install(in controller: WKUserContentController) {
      let source = WebP.PageScript.source + WebP.PageScript.bridge(Self.name, fadeMilliseconds: fadeMilliseconds)
      controller.addUserScript(
        WKUserScript(source: source, injectionTime: .atDocumentStart, forMainFrameOnly: true))
      controller.add(self, name: Self.name)
    }

    /// Called by WebKit.
    public func userContentController(_ controller: WKUserContentController, didReceive message: WKScriptMessage) {
      // Images in other frames are not supported.
      guard message.frameInfo.isMainFrame, let request = PageRequest(message.body), let view = message.webView
      else { return }
      loads(of: view).start(request) { [weak view] script in view?.evaluateJavaScript(script, completionHandler: nil) }
    }

    /// Returns the loads of a view. They are associated with the view, so that they are stopped when it is released.
    private func loads(of view: WKWebView) -> PageLoads {
      // The key is the session's address. No other bridge has a session at this address, because `PageLoads` retains
      // the session.
      let key = unsafe UnsafeRawPointer(Unmanaged.passUnretained(session).toOpaque())
      if let known = unsafe objc_getAssociatedObject(view, key) as? PageLoads { return known }
      let loads = PageLoads(session, options)
      unsafe objc_setAssociatedObject(view, key, loads, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
      return loads
    }
  }
#endif
