#if canImport(WebKit)
  import Foundation
  import PureWebP
  import WebKit

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Replaces the WebP images of the pages that a WKWebView shows, by ``WebP/PageScript`` and with PNGs made here. For
  /// systems before iOS 14 and macOS 11: later ones show WebP by themselves, and would load each image a second time.
  ///
  /// ```swift
  /// if #unavailable(iOS 14, macOS 11) {
  ///   let bridge = WebPScriptBridge()
  ///   bridge.install(in: webView.configuration.userContentController)
  /// }
  /// ```
  ///
  /// The PNGs are `data` URLs, which a page's Content-Security-Policy must allow among its `img-src`. Before iOS 13.4
  /// and macOS 10.15.4, images do not fade in.
  ///
  /// It works in the main frame, on any page. Images are loaded by `http` and `https`, or are in `data` URLs; those of
  /// other schemes stay as they are. Six are loaded at once; where ten thousand wait, or 64 MiB of URLs, the rest stays as
  /// well. Where pages are the app's own, ``WebPSchemeHandler`` needs no script.
  ///
  /// A page's scripts can ask the bridge for any URL, and read what they get. So images are loaded without the app's
  /// cookies and credentials, unless a configuration is given that has them.
  @MainActor
  public final class WebPScriptBridge: NSObject, WKScriptMessageHandler {
    private static let name = "pureWebP"

    private let session: UpstreamSession
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
      session = UpstreamSession(configuration, keepsURLCache: true)
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
      // Whatever frames a page has, its images are its own.
      guard message.frameInfo.isMainFrame, let request = PageRequest(message.body), let view = message.webView
      else { return }
      loads(of: view).start(request) { [weak view] script in view?.evaluateJavaScript(script, completionHandler: nil) }
    }

    /// It is the view that holds them, so that they end with it.
    private func loads(of view: WKWebView) -> PageLoads {
      // They hold their session: as long as there are any, no other bridge's is at its address.
      let key = unsafe UnsafeRawPointer(Unmanaged.passUnretained(session).toOpaque())
      if let known = unsafe objc_getAssociatedObject(view, key) as? PageLoads { return known }
      let loads = PageLoads(session, options)
      unsafe objc_setAssociatedObject(view, key, loads, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
      return loads
    }
  }
#endif
