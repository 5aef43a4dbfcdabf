#if canImport(WebKit)
  import Foundation
  import WebKit

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Loads `stwebp-http` and `stwebp-https` URLs for a WKWebView, whose WebP images arrive as PNG, row by row. For
  /// systems before iOS 14 and macOS 11: later ones show WebP by themselves, and pages are to name plain URLs there.
  ///
  /// ```swift
  /// let configuration = WKWebViewConfiguration()
  /// WebPSchemeHandler().install(in: configuration)
  /// // <img src="stwebp-https://example.org/picture.webp">
  /// ```
  ///
  /// WKWebView lets nobody answer for `http` and `https`. For pages that cannot name other URLs, there is
  /// ``WebPScriptBridge``.
  @MainActor
  public final class WebPSchemeHandler: NSObject, WKURLSchemeHandler {
    /// The schemes that the handler answers for.
    public static let schemes = ["stwebp-http", "stwebp-https"]

    private let session: URLSession
    private let delegate = SchemeSessionDelegate()

    /// One handler serves any number of web views: make it once and keep it.
    ///
    /// - Parameters:
    ///   - configuration: for all requests.
    ///   - options: how pictures are converted and kept.
    public init(configuration: URLSessionConfiguration = .default, options: WebPURLProtocol.Options = .init()) {
      session = URLSession(configuration: configuration.withWebP(options), delegate: delegate, delegateQueue: .main)
    }

    deinit { session.invalidateAndCancel() }

    /// Lets the web views of a configuration load the schemes. To be called before the first view is made.
    public func install(in configuration: WKWebViewConfiguration) {
      for scheme in Self.schemes { configuration.setURLSchemeHandler(self, forURLScheme: scheme) }
    }

    /// Called by WebKit.
    public func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask) {
      let task = session.dataTask(with: urlSchemeTask.request)
      delegate.tasks[task.taskIdentifier] = (task, urlSchemeTask)
      task.resume()
    }

    /// Called by WebKit. After this, nothing may be told to the task: WebKit raises an exception then.
    public func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask) {
      guard let entry = delegate.tasks.first(where: { $0.value.schemeTask === urlSchemeTask }) else { return }
      delegate.tasks[entry.key] = nil
      entry.value.task.cancel()
    }
  }

  /// Tells the web view what the session tells, on the main queue. A session keeps its delegate; this one does not keep
  /// the handler.
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
