import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The default transport: a `URLSession` with the app's configuration. ``WebPURLProtocol`` does not claim its requests.
///
/// The first request creates a session. Concurrent requests share it and its connections. It is invalidated some
/// seconds after the last request, because the system never frees a session that was not invalidated.
final class URLSessionTransport: NSObject, WebP.Transport, @unchecked Sendable {
  /// The key of the property that marks requests of this session, so that ``WebPURLProtocol`` does not claim them.
  static let mark = "PureWebP.WebPURLProtocol.inner"
  private static let idleSeconds = 10.0

  private let configuration: URLSessionConfiguration
  /// Indicates whether the session accepts any server certificate. Has no effect on Linux.
  private let allowsInvalidCertificates: Bool
  /// Makes all calls to the tasks. Some wait for the queue that calls the delegate.
  private let control = DispatchQueue(label: "WebPLoading.URLSessionTransport.control")
  /// Protects the variables. Never held while another object is called.
  private let lock = NSLock()
  private var session: URLSession?
  private var transfers: [Int: SessionTransfer] = [:]
  /// The number of transfers so far. By comparing it, a timer detects whether transfers were started in the meantime.
  private var startedCount = 0

  /// - Parameter outer: the configuration. `Upstream` handles its cookies and its additional headers.
  init(_ outer: URLSessionConfiguration, keepsURLCache: Bool, allowsInvalidCertificates: Bool = false) {
    self.allowsInvalidCertificates = allowsInvalidCertificates
    configuration = outer.copy() as! URLSessionConfiguration
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.httpAdditionalHeaders = nil
    if !keepsURLCache { configuration.urlCache = nil }
    configuration.avoidTrapOfCancelling()
    super.init()
  }

  func send(_ request: URLRequest) async throws -> WebP.TransportResponse {
    try await sending(request, priority: URLSessionTask.defaultPriority).value()
  }

  func sending(_ request: URLRequest, priority: Float) -> Work<WebP.TransportResponse> {
    Work { handler in
      let session = self.openSession()
      let task = session.dataTask(with: Self.marked(request))
      let transfer = SessionTransfer(task, session: session, control: self.control)
      self.lock.withLock { self.transfers[task.taskIdentifier] = transfer }
      task.priority = priority
      task.resume()
      // If the response is not used, the body is released, which ends the task.
      let body = SessionTransfer.Body(transfer)
      transfer.wait(
        .head { head in
          handler(
            head.map { head in
              let fields = head.headers.map { (name: $0.key, value: $0.value) }
              return WebP.TransportResponse(status: head.statusCode, fields: fields, body: body)
            })
        })
      return transfer.cancel
    }
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
      let queue = DirectQueue()
    #else
      let queue: OperationQueue? = nil
    #endif
    configuration.protocolClasses = classes.filter { !($0 is WebPURLProtocol.Type) }
    return URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
  }

  private func transfer(of task: URLSessionTask) -> SessionTransfer? {
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

extension URLSessionTransport: URLSessionDataDelegate {
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
