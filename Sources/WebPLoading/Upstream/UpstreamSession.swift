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
  let allowsInvalidCertificates: Bool
  /// The headers that the configuration adds to requests that lack them.
  private let addedHeaders: [String: String]
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
    let added = (outer.httpAdditionalHeaders ?? [:]).map { ("\($0.key)", "\($0.value)") }
    addedHeaders = [String: String](added) { first, _ in first }
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
    for (field, value) in addedHeaders where request.value(forHTTPHeaderField: field) == nil {
      completed.setValue(value, forHTTPHeaderField: field)
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
    #endif
    configuration.protocolClasses = classes.filter { !($0 is WebPURLProtocol.Type) }
    #if canImport(FoundationNetworking)
      return URLSession(configuration: configuration, delegate: self, delegateQueue: ImmediateQueue())
    #else
      return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    #endif
  }

  func transfer(of task: URLSessionTask) -> UpstreamTransfer? {
    lock.withLock { transfers[task.taskIdentifier] }
  }

  func end(_ task: URLSessionTask) {
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
