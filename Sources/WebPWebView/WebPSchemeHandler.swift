#if canImport(WebKit)
  import Foundation
  import PureWebP
  import WebKit
  import WebPLoading

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Loads `stwebp-http` and `stwebp-https` URLs for a `WKWebView`, and converts WebP images to PNG while they arrive.
  ///
  /// The handler is for systems before iOS 14 and macOS 11. On later systems, pages should use plain URLs, because
  /// WebKit supports WebP. ``WebPURLProtocol`` uses the same schemes.
  ///
  /// ```swift
  /// let configuration = WKWebViewConfiguration()
  /// WebPSchemeHandler().install(in: configuration)
  /// // <img src="stwebp-https://example.org/picture.webp">
  /// ```
  ///
  /// WKWebView does not allow handlers for `http` and `https`. For pages that cannot use other URLs, use
  /// ``WebPScriptBridge``.
  @MainActor
  public final class WebPSchemeHandler: NSObject, WKURLSchemeHandler {
    /// The schemes that the handler supports.
    public static let schemes = ["stwebp-http", "stwebp-https"]

    private let session: URLSession
    private let delegate = SchemeSessionDelegate()

    /// Creates a handler. One handler serves any number of web views, so create it once and retain it.
    ///
    /// - Parameters:
    ///   - configuration: the configuration of all requests.
    ///   - options: the options for conversion and caching of images.
    ///   - transport: sends the requests. If nil, a `WebP.URLSessionTransport` with the configuration.
    ///   - sharesCacheWithApp: whether the pages and the app's sessions share the public images in `options.cache`. If
    ///     true, a page can learn by the time of a load whether the app has loaded an image, and the transport of
    ///     either determines what both get. Without a cache in the options, the pages share the configuration's
    ///     `URLCache`.
    public init(
      configuration: URLSessionConfiguration = .default, options: WebPURLProtocol.Options = .init(),
      transport: (any WebP.Transport)? = nil, sharesCacheWithApp: Bool = false
    ) {
      let options = options.forPages(sharesCacheWithApp: sharesCacheWithApp)
      let configuration = configuration.withWebP(options, transport: transport)
      session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: .main)
    }

    deinit { session.invalidateAndCancel() }

    /// Installs the handler for its schemes. Must be called before the first view of the configuration is created.
    public func install(in configuration: WKWebViewConfiguration) {
      for scheme in Self.schemes { configuration.setURLSchemeHandler(self, forURLScheme: scheme) }
    }

    /// Called by WebKit.
    public func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask) {
      let task = session.dataTask(with: urlSchemeTask.request)
      delegate.tasks[task.taskIdentifier] = (task, urlSchemeTask)
      task.resume()
    }

    /// Called by WebKit. If a method of the task is called afterwards, WebKit raises an exception.
    public func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask) {
      guard let entry = delegate.tasks.first(where: { $0.value.schemeTask === urlSchemeTask }) else { return }
      delegate.tasks[entry.key] = nil
      entry.value.task.cancel()
    }
  }

  /// Forwards the session's events to the web view, on the main queue. It is a separate object that does not retain the
  /// handler, because a session retains its delegate.
  @MainActor
  private final class SchemeSessionDelegate: NSObject, URLSessionDataDelegate {
    var tasks: [Int: (task: URLSessionTask, schemeTask: any WKURLSchemeTask)] = [:]

    nonisolated func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      let task = dataTask.taskIdentifier
      MainActor.assumeIsolated { tasks[task]?.schemeTask.didReceive(response) }
      completionHandler(.allow)
    }

    nonisolated func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      let task = dataTask.taskIdentifier
      MainActor.assumeIsolated { tasks[task]?.schemeTask.didReceive(data) }
    }

    nonisolated func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      let task = task.taskIdentifier
      MainActor.assumeIsolated {
        guard let schemeTask = tasks.removeValue(forKey: task)?.schemeTask else { return }
        if let error { schemeTask.didFailWithError(error) } else { schemeTask.didFinish() }
      }
    }
  }
#endif
