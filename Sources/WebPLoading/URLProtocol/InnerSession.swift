import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What an inner load is told, on its own queue.
protocol InnerLoad: AnyObject, Sendable {
  var queue: DispatchQueue { get }
  func didReceive(_ response: URLResponse)
  func didReceive(_ data: Data)
  /// - Parameter error: nil at the end of the body.
  func didComplete(_ error: (any Error)?)
}

/// The session that fetches from servers, for the protocol as for loaders and pages, and is claimed by no protocol of
/// this kind.
///
/// It is made for the first load, shared by those that run at the same time (and so are their connections), and given
/// up some seconds after the last: a session that is not invalidated is never freed.
final class InnerSession: NSObject, @unchecked Sendable {
  static let mark = "PureWebP.WebPURLProtocol.inner"
  private static let idleSeconds = 10.0

  private let configuration: URLSessionConfiguration
  /// What the configuration adds to requests that have no such headers.
  private let addedHeaders: [String: String]
  private let lock = NSLock()
  private var session: URLSession?
  private var loads: [Int: any InnerLoad] = [:]
  /// Counts the loads that were begun, so that a timer can tell whether there was one since.
  private var begun = 0

  init(_ outer: URLSessionConfiguration, keepsURLCache: Bool) {
    configuration = outer.copy() as! URLSessionConfiguration
    if !keepsURLCache { configuration.urlCache = nil }
    configuration.avoidTrapOfCancelling()
    let added = (outer.httpAdditionalHeaders ?? [:]).map { ("\($0.key)", "\($0.value)") }
    addedHeaders = [String: String](added) { first, _ in first }
    super.init()
  }

  /// Begins to load; what comes is told to `load`, which is held until its end.
  ///
  /// - Returns: the task, for cancelling.
  func start(
    _ request: URLRequest, priority: Float = URLSessionTask.defaultPriority, for load: any InnerLoad
  ) -> URLSessionTask {
    return lock.withLock {
      let session = self.session ?? makeSession()
      self.session = session
      begun += 1
      let task = session.dataTask(with: Self.marked(request))
      loads[task.taskIdentifier] = load
      task.priority = priority
      task.resume()
      return task
    }
  }

  /// The request with all headers that are known to go out with it, as the cache has to know it.
  func completed(_ request: URLRequest) -> URLRequest {
    var completed = request
    for (field, value) in addedHeaders where request.value(forHTTPHeaderField: field) == nil {
      completed.setValue(value, forHTTPHeaderField: field)
    }
    return completed
  }

  /// The request, so that no protocol of this kind claims it, whatever the classes of the session are.
  private static func marked(_ request: URLRequest) -> URLRequest {
    #if canImport(FoundationNetworking)
      // Properties are lost, and timeouts with them: here the classes of the session have to do.
      return request
    #else
      let marked = (request as NSURLRequest).mutableCopy() as! NSMutableURLRequest
      URLProtocol.setProperty(true, forKey: mark, in: marked)
      return marked as URLRequest
    #endif
  }

  private func makeSession() -> URLSession {
    var classes = configuration.protocolClasses ?? []
    #if canImport(FoundationNetworking)
      // Where none of them knows http, those that are registered for all sessions are asked, this one among them.
      classes += URLSessionConfiguration.default.protocolClasses ?? []
    #endif
    configuration.protocolClasses = classes.filter { !($0 is WebPURLProtocol.Type) }
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    return URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
  }

  private func load(of task: URLSessionTask) -> (any InnerLoad)? {
    lock.withLock { loads[task.taskIdentifier] }
  }

  private func end(_ task: URLSessionTask) {
    let last: Int? = lock.withLock {
      loads[task.taskIdentifier] = nil
      return loads.isEmpty ? begun : nil
    }
    guard let last else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.idleSeconds) { self.closeIfIdle(since: last) }
  }

  private func closeIfIdle(since last: Int) {
    let idle: URLSession? = lock.withLock {
      guard loads.isEmpty, begun == last else { return nil }
      defer { session = nil }
      return session
    }
    idle?.finishTasksAndInvalidate()
  }
}

extension URLSessionConfiguration {
  /// FoundationNetworking looks into the cache while it lets the task go on; a task that is cancelled in that moment is
  /// ended twice, which traps. Without a cache there is no such moment.
  func avoidTrapOfCancelling() {
    #if canImport(FoundationNetworking)
      urlCache = nil
    #endif
  }
}

extension URLRequest {
  /// Whether the request goes to the server that `other` is from: by the same scheme, host and port (RFC 6454, section
  /// 5). What is encrypted for one may not be for the other.
  func isMeantForOrigin(of other: URL?) -> Bool {
    guard let url, let other else { return false }
    func port(_ url: URL, _ scheme: String?) -> Int? { url.port ?? ["http": 80, "https": 443][scheme ?? ""] }
    let (scheme, otherScheme) = (url.scheme?.lowercased(), other.scheme?.lowercased())
    return scheme == otherScheme && url.host?.lowercased() == other.host?.lowercased()
      && port(url, scheme) == port(other, otherScheme)
  }
}

extension HTTPURLResponse {
  /// Where the response redirects to, if that is by http or https. FoundationNetworking resolves relative references by
  /// rules of its own.
  fileprivate var redirection: URL? {
    let target = value(forHTTPHeaderField: "Location").flatMap { URL(string: $0, relativeTo: url) }?.absoluteURL
    return target?.isHTTP == true ? target : nil
  }
}

extension InnerSession: URLSessionDataDelegate {
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    if let load = load(of: dataTask) { load.queue.async { load.didReceive(response) } }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    if let load = load(of: dataTask) { load.queue.async { load.didReceive(data) } }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let load = load(of: task)
    end(task)
    if let load { load.queue.async { load.didComplete(error) } }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // The request has the headers of the one before. What was known of one URL is not of another (RFC 9110, 15.4).
    var request = request
    for field in ["If-None-Match", "If-Modified-Since"] { request.setValue(nil, forHTTPHeaderField: field) }
    #if canImport(FoundationNetworking)
      if let url = response.redirection { request.url = url }
      // What was meant for one server is not for another.
      if !request.isMeantForOrigin(of: response.url) {
        request.setValue(nil, forHTTPHeaderField: "Authorization")
        request.setValue(nil, forHTTPHeaderField: "Cookie")
      }
      if configuration.httpShouldSetCookies, let url = request.url,
        let cookies = configuration.httpCookieStorage?.cookies(for: url), !cookies.isEmpty
      {
        request.setValue(HTTPCookie.requestHeaderFields(with: cookies)["Cookie"], forHTTPHeaderField: "Cookie")
      }
    #endif
    completionHandler(request)
  }

  #if canImport(FoundationNetworking)
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      if challenge.previousFailureCount == 0, challenge.proposedCredential != nil {
        completionHandler(.performDefaultHandling, nil)
        return
      }
      // Without a credential, performDefaultHandling would never come to an end. The 401 and its body are there already.
      if let load = load(of: task) { load.queue.async { load.didComplete(nil) } }
      completionHandler(.cancelAuthenticationChallenge, nil)
    }
  #endif
}
