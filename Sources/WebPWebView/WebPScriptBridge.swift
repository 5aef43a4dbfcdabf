#if canImport(WebKit)
  import Foundation
  import PureWebP
  import WebKit
  import WebPLoading

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Replaces the WebP images of the pages in a `WKWebView` with PNGs, by running a script in the pages. It is the
  /// script of the WebAssembly module's polyfill and covers the same elements and styles, but the app converts the
  /// images.
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
  /// As soon as the size of an `img` is known, the script shows an empty image of that size, so that the layout does
  /// not change later. The PNG then fades in. The page gets one `load` event, or one `error` event if the image cannot
  /// be loaded. The PNGs are `blob` URLs. If a page's Content-Security-Policy forbids them in `img-src`, they are
  /// `data` URLs.
  ///
  /// The bridge works in any page and in its frames of the same origin. It replaces images with `http`, `https` and
  /// `data` URLs. It loads six images at a time. At most ten thousand requests with at most 64 MiB of URLs can wait;
  /// the bridge does not replace further images. For the app's own pages, ``WebPSchemeHandler`` works without a script.
  ///
  /// A page's scripts can request any URL from the bridge and read the result. Therefore images are loaded without the
  /// app's cookies and credentials, unless the configuration that you pass contains them.
  @MainActor
  public final class WebPScriptBridge: NSObject, WKScriptMessageHandler {
    /// The name of the bridge's message handler. A controller can have only one handler of this name.
    public nonisolated static let handlerName = "pureWebP"

    private let upstream: Upstream
    private let options: WebPURLProtocol.Options
    private let script: WKUserScript

    /// Creates a bridge.
    ///
    /// - Parameters:
    ///   - configuration: the configuration of all requests. It may be a result of `withWebP`.
    ///   - options: the options for conversion and caching of images.
    ///   - transport: sends the requests. If nil, a `WebP.URLSessionTransport` with the configuration.
    ///   - fade: the duration of the fade-in, in seconds.
    ///   - sharesCacheWithApp: whether the pages and the app's sessions share the public images in `options.cache`. If
    ///     true, a page can learn by the time of a load whether the app has loaded an image, and the transport of
    ///     either determines what both get.
    public init(
      configuration: URLSessionConfiguration = .ephemeral, options: WebPURLProtocol.Options = .init(),
      transport: (any WebP.Transport)? = nil, fade: TimeInterval = 0.25, sharesCacheWithApp: Bool = false
    ) {
      upstream = Upstream(configuration, options, transport: transport)
      self.options = options.forPages(sharesCacheWithApp: sharesCacheWithApp)
      let source = PageScript.source(handler: Self.handlerName, fade: fade)
      script = WKUserScript(source: source, injectionTime: .atDocumentStart, forMainFrameOnly: false)
    }

    /// Installs the bridge. Must be called before the first page is loaded. The controller retains the bridge.
    public func install(in controller: WKUserContentController) {
      controller.addUserScript(script)
      controller.add(self, name: Self.handlerName)
    }

    /// Removes the bridge from a controller. In pages that are already loaded, no further images are replaced.
    public func uninstall(from controller: WKUserContentController) {
      let others = controller.userScripts.filter { $0 !== script }
      controller.removeAllUserScripts()
      for other in others { controller.addUserScript(other) }
      controller.removeScriptMessageHandler(forName: Self.handlerName)
    }

    /// Called by WebKit.
    public func userContentController(_ controller: WKUserContentController, didReceive message: WKScriptMessage) {
      // The scripts of frames call the script of the main frame.
      guard message.frameInfo.isMainFrame, let request = PageRequest(message.body), let view = message.webView
      else { return }
      loads(of: view).start(request) { [weak view] script in view?.evaluateJavaScript(script, completionHandler: nil) }
    }

    /// Returns the loads of a view. They are associated with the view, so that they are stopped when it is released.
    private func loads(of view: WKWebView) -> PageImages {
      // The key is the address of `upstream`. No other bridge has an object at this address, because `PageImages`
      // retains it.
      let key = unsafe UnsafeRawPointer(Unmanaged.passUnretained(upstream).toOpaque())
      if let known = unsafe objc_getAssociatedObject(view, key) as? PageImages { return known }
      let loads = PageImages(upstream, options)
      unsafe objc_setAssociatedObject(view, key, loads, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
      return loads
    }
  }
#endif
