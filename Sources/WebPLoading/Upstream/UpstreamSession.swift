import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Loads from servers on behalf of the URL protocol, image loaders and pages. ``WebPURLProtocol`` does not claim its
/// requests.
///
/// The first load creates a `URLSession`. Concurrent loads share it and its connections. It is invalidated some seconds
/// after the last load, because the system never frees a session that was not invalidated.
final class UpstreamSession: NSObject, @unchecked Sendable {
  /// The key of the property that marks requests of this session, so that ``WebPURLProtocol`` does not claim them.
  static let mark = "PureWebP.WebPURLProtocol.inner"
  private static let idleSeconds = 10.0

  let configuration: URLSessionConfiguration
  /// Indicates whether the session accepts any server certificate. Has no effect on Linux.
  private let allowsInvalidCertificates: Bool
  /// Makes all calls to the tasks. Some wait for the queue that calls the delegate.
  private let control = DispatchQueue(label: "WebPLoading.UpstreamSession.control")
  /// Protects the variables. Never held while another object is called.
  private let lock = NSLock()
  private var session: URLSession?
  private var transfers: [Int: UpstreamTransfer] = [:]
  /// The number of transfers so far. By comparing it, a timer detects whether transfers were started in the meantime.
  private var startedCount = 0

  init(_ outer: URLSessionConfiguration, keepsURLCache: Bool, allowsInvalidCertificates: Bool = false) {
    self.allowsInvalidCertificates = allowsInvalidCertificates
    configuration = outer.copy() as! URLSessionConfiguration
    if !keepsURLCache { configuration.urlCache = nil }
    configuration.avoidTrapOfCancelling()
    super.init()
  }

  /// Starts a request. The session retains `load` until the transfer ends.
  ///
  /// - Returns: the transfer, for cancellation.
  func start(
    _ request: URLRequest, priority: Float = URLSessionTask.defaultPriority, for load: any UpstreamLoad
  ) -> UpstreamTransfer {
    let session = openSession()
    let task = session.dataTask(with: Self.marked(request))
    let transfer = UpstreamTransfer(task, load, session: session, control: control)
    lock.withLock { transfers[task.taskIdentifier] = transfer }
    task.priority = priority
    task.resume()
    return transfer
  }

  /// Returns the request with the headers that the configuration adds, and with its cache policy if the request has
  /// none. The cache needs both to decide about the request.
  func completed(_ request: URLRequest) -> URLRequest {
    var completed = request.withPolicy(of: configuration)
    for (field, value) in configuration.httpAdditionalHeaders ?? [:] {
      guard request.value(forHTTPHeaderField: "\(field)") == nil else { continue }
      completed.setValue("\(value)", forHTTPHeaderField: "\(field)")
    }
    return completed
  }

  /// Returns the request with a mark, so that no ``WebPURLProtocol`` class claims it.
  private static func marked(_ request: URLRequest) -> URLRequest {
    #if canImport(FoundationNetworking)
      // On Linux, no mark is needed, because `makeSession` removes the classes. FoundationNetworking would lose the
      // mark, and the request's timeout with it.
      return request
    #else
      let marked = (request as NSURLRequest).mutableCopy() as! NSMutableURLRequest
      URLProtocol.setProperty(true, forKey: mark, in: marked)
      return marked as URLRequest
    #endif
  }

  private func openSession() -> URLSession {
    // The count is incremented first, so that the session is not closed before its task exists.
    let existing = lock.withLock {
      startedCount += 1
      return self.session
    }
    if let existing { return existing }
    let new = makeSession()
    let session = lock.withLock {
      let session = self.session ?? new
      self.session = session
      return session
    }
    if session !== new { new.finishTasksAndInvalidate() }
    return session
  }

  private func makeSession() -> URLSession {
    let configuration = configuration.copy() as! URLSessionConfiguration
    var classes = configuration.protocolClasses ?? []
    #if canImport(FoundationNetworking)
      // The default classes accept http and https. Without these classes, FoundationNetworking would ask the
      // registered classes, which include WebPURLProtocol.
      classes += URLSessionConfiguration.default.protocolClasses ?? []
      let queue = ImmediateQueue()
    #else
      let queue: OperationQueue? = nil
    #endif
    configuration.protocolClasses = classes.filter { !($0 is WebPURLProtocol.Type) }
    return URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
  }

  private func transfer(of task: URLSessionTask) -> UpstreamTransfer? {
    lock.withLock { transfers[task.taskIdentifier] }
  }

  private func end(_ task: URLSessionTask) {
    let last: Int? = lock.withLock {
      transfers[task.taskIdentifier] = nil
      return transfers.isEmpty ? startedCount : nil
    }
    guard let last else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.idleSeconds) { self.closeIfIdle(since: last) }
  }

  private func closeIfIdle(since last: Int) {
    let idle: URLSession? = lock.withLock {
      guard transfers.isEmpty, startedCount == last else { return nil }
      defer { session = nil }
      return session
    }
    idle?.finishTasksAndInvalidate()
  }
}

#if canImport(FoundationNetworking)
  /// Calls the delegate on the serial queue that reads from the servers. In a queue of their own, the calls and their
  /// bytes would accumulate. The delegate must not call methods of tasks, which may wait for the same queue.
  private final class ImmediateQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
  }
#endif

extension URLSessionConfiguration {
  /// Removes the URL cache on Linux. FoundationNetworking reads the cache while it resumes a task. If the task is
  /// cancelled at that moment, FoundationNetworking ends it twice and traps.
  func avoidTrapOfCancelling() {
    #if canImport(FoundationNetworking)
      urlCache = nil
    #endif
  }
}

// MARK: Events of the tasks

extension UpstreamSession: URLSessionDataDelegate {
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    transfer(of: dataTask)?.receive(response, rateSeconds: configuration.timeoutIntervalForRequest)
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    transfer(of: dataTask)?.receive(data)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let transfer = transfer(of: task)
    end(task)
    transfer?.complete(error)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // The new request has the headers of the previous one. Its validators are removed, because they do not apply to
    // another URL (RFC 9110, section 15.4). Without `If-Range`, `Range` may select a part of another file.
    var request = request
    let isResumed = request.value(forHTTPHeaderField: "If-Range") != nil
    for field in ["If-None-Match", "If-Modified-Since", "If-Range"] + (isResumed ? ["Range"] : []) {
      request.setValue(nil, forHTTPHeaderField: field)
    }
    #if canImport(FoundationNetworking)
      if let url = response.redirection { request.url = url }
      // Credentials for one origin must not be sent to another one.
      if !request.hasOrigin(of: response.url) {
        request.setValue(nil, forHTTPHeaderField: "Authorization")
        request.setValue(nil, forHTTPHeaderField: "Cookie")
      }
      if configuration.httpShouldSetCookies, let url = request.url,
        let cookies = configuration.httpCookieStorage?.cookies(for: url), !cookies.isEmpty
      {
        request.setValue(HTTPCookie.requestHeaderFields(with: cookies)["Cookie"], forHTTPHeaderField: "Cookie")
      }
    #endif
    let redirected = request
    transfer(of: task)?.callHandler { completionHandler(redirected) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if canImport(FoundationNetworking)
      let transfer = transfer(of: task)
      if challenge.previousFailureCount == 0, challenge.proposedCredential != nil {
        transfer?.callHandler { completionHandler(.performDefaultHandling, nil) }
        return
      }
      // Without a credential, `performDefaultHandling` would wait forever. The response with status 401 and its body
      // have already arrived, so the load is complete.
      transfer?.complete(nil)
      transfer?.callHandler { completionHandler(.cancelAuthenticationChallenge, nil) }
    #else
      if allowsInvalidCertificates, let trust = challenge.protectionSpace.serverTrust {
        completionHandler(.useCredential, URLCredential(trust: trust))
      } else {
        completionHandler(.performDefaultHandling, nil)
      }
    #endif
  }
}

extension HTTPURLResponse {
  /// The http or https URL that the response redirects to. Relative references are resolved as RFC 3986 specifies,
  /// which FoundationNetworking does not do.
  fileprivate var redirection: URL? {
    let target = value(forHTTPHeaderField: "Location").flatMap { URL(string: $0, relativeTo: url) }?.absoluteURL
    return target?.isHTTP == true ? target : nil
  }
}
