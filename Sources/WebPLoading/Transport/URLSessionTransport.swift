import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension WebP {
  /// The default transport: a `URLSession`. ``WebPURLProtocol`` does not claim its requests.
  ///
  /// The configuration determines the connections: TLS, proxies, credentials, the protocols of `protocolClasses`,
  /// cellular access, and the `URLCache`. A loader, a registration or a web view has a configuration too. It determines
  /// the requests: additional headers, cookies, timeouts and the cache policy of every transport. Cookies and headers
  /// of the configuration here are ignored.
  ///
  /// Without a transport, a loader creates this one with its own configuration, and removes the `URLCache` if it has an
  /// ``ImageCache``. If you create the transport, set `urlCache` to nil yourself in this case, so that files are not
  /// stored twice.
  public final class URLSessionTransport: Transport {
    /// The key of the property that marks requests of this transport, so that ``WebPURLProtocol`` does not claim them.
    static let mark = "PureWebP.URLSessionTransport"

    /// An accepted invalid certificate is valid for its connection, so that these requests need connections of their
    /// own.
    private let (strict, lenient): (SessionPool, SessionPool)

    /// Creates a transport.
    ///
    /// - Parameter configuration: the configuration of the sessions. Later changes have no effect.
    public init(_ configuration: URLSessionConfiguration = .default) {
      strict = SessionPool(configuration, allowsInvalidCertificates: false)
      lenient = SessionPool(configuration, allowsInvalidCertificates: true)
    }

    public func send(_ request: URLRequest, options: TransportOptions) async throws -> TransportResponse {
      try Task.checkCancellation()
      let pool = options.allowsInvalidCertificates ? lenient : strict
      let transfer = pool.start(Self.marked(request), priority: options.priority)
      // If the response is not used, the body is released, which ends the task.
      let body = SessionTransfer.Body(transfer)
      let head = try await transfer.head()
      return TransportResponse(
        status: head.statusCode, fields: head.headers.map { (name: $0.key, value: $0.value) }, body: body)
    }

    /// Returns the request with a mark, so that no ``WebPURLProtocol`` class claims it.
    private static func marked(_ request: URLRequest) -> URLRequest {
      #if canImport(FoundationNetworking)
        // On Linux, no mark is needed, because the pool removes the classes. FoundationNetworking would lose the mark,
        // and the request's timeout with it.
        return request
      #else
        let marked = (request as NSURLRequest).mutableCopy() as! NSMutableURLRequest
        URLProtocol.setProperty(true, forKey: mark, in: marked)
        return marked as URLRequest
      #endif
    }
  }
}

/// A session that is created for the first request. Concurrent requests share it and its connections. It is invalidated
/// some seconds after the last request, because the system never frees a session that was not invalidated.
private final class SessionPool: NSObject, Sendable {
  private static let idleSeconds = 10.0

  private let configuration: URLSessionConfiguration
  /// Indicates whether the session accepts any server certificate. Has no effect on Linux.
  private let allowsInvalidCertificates: Bool
  /// Makes all calls to the tasks. Some wait for the queue that calls the delegate.
  private let control = DispatchQueue(label: "WebPLoading.URLSessionTransport.control")
  private let state = Locked(State())

  private struct State: Sendable {
    var session: URLSession?
    var transfers: [Int: SessionTransfer] = [:]
    /// The number of transfers so far. By comparing it, a timer detects whether transfers were started in the meantime.
    var startedCount = 0
  }

  init(_ original: URLSessionConfiguration, allowsInvalidCertificates: Bool) {
    self.allowsInvalidCertificates = allowsInvalidCertificates
    configuration = original.copy() as! URLSessionConfiguration
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.httpAdditionalHeaders = nil
    configuration.avoidTrapOfCancelling()
    super.init()
  }

  func start(_ request: URLRequest, priority: Float) -> SessionTransfer {
    let session = openSession()
    let task = session.dataTask(with: request)
    let transfer = SessionTransfer(task, session: session, control: control)
    state.withLock { $0.transfers[task.taskIdentifier] = transfer }
    task.priority = priority
    task.resume()
    return transfer
  }

  private func openSession() -> URLSession {
    // The count is incremented first, so that the session is not closed before its task exists.
    let existing = state.withLock {
      $0.startedCount += 1
      return $0.session
    }
    if let existing { return existing }
    let new = makeSession()
    let session = state.withLock {
      let session = $0.session ?? new
      $0.session = session
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
      let queue = DirectQueue()
    #else
      let queue: OperationQueue? = nil
    #endif
    configuration.protocolClasses = classes.filter { !($0 is WebPURLProtocol.Type) }
    return URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
  }

  private func transfer(of task: URLSessionTask) -> SessionTransfer? {
    state.withLock { $0.transfers[task.taskIdentifier] }
  }

  private func end(_ task: URLSessionTask) {
    let last: Int? = state.withLock {
      $0.transfers[task.taskIdentifier] = nil
      return $0.transfers.isEmpty ? $0.startedCount : nil
    }
    guard let last else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.idleSeconds) { self.closeIfIdle(since: last) }
  }

  private func closeIfIdle(since last: Int) {
    let idle: URLSession? = state.withLock { state in
      guard state.transfers.isEmpty, state.startedCount == last else { return nil }
      defer { state.session = nil }
      return state.session
    }
    idle?.finishTasksAndInvalidate()
  }
}

#if canImport(FoundationNetworking)
  /// Calls the delegate on the queue of the session, because another queue costs a sixth more processor time. The
  /// delegate only stores what has arrived. It must not wait, and not call methods of tasks, which may wait for this
  /// queue.
  private final class DirectQueue: OperationQueue, @unchecked Sendable {
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

extension SessionPool: URLSessionDataDelegate {
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    transfer(of: dataTask)?.receive(response)
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    transfer(of: dataTask)?.receive(data)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let transfer = transfer(of: task)
    end(task)
    // FoundationNetworking does not report the response if it expects a redirect that is missing.
    if error == nil, let response = task.response { transfer?.receive(response) }
    transfer?.complete(error)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // Without a new request, the redirect is the response, and the task ends after its body.
    let transfer = transfer(of: task)
    transfer?.receive(response)
    transfer?.callHandler { completionHandler(nil) }
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
      // have already arrived, so the transfer is complete.
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
