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

  let configuration: URLSessionConfiguration
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

  /// The request with all headers that are known to go out with it, as the cache has to know it, and with the
  /// configuration's policy of caching where it has none.
  func completed(_ request: URLRequest) -> URLRequest {
    var completed = request.withPolicy(of: configuration)
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

  func load(of task: URLSessionTask) -> (any InnerLoad)? {
    lock.withLock { loads[task.taskIdentifier] }
  }

  func end(_ task: URLSessionTask) {
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
