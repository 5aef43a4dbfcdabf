import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Calls the protocol's client on the queue or thread that Foundation requires.
///
/// Nothing is called after `close`, which must be called in `stopLoading`.
final class LoadClient: @unchecked Sendable {
  private let lock = NSRecursiveLock()
  /// Nil when closed. The protocol retains its load, which retains this object.
  private var target: URLProtocol?
  // Retained until the end of the body if the client needs it in one call. Used by the load only.
  private var heldResponse: (@Sendable (Int?) -> URLResponse)?
  private var heldBody = Data()

  #if canImport(FoundationNetworking)
    private let queue: DispatchQueue?
    /// Indicates whether the client accepts the body incrementally. Otherwise it needs the complete body in one call.
    let takesPieces: Bool
  #else
    private let runLoop = CFRunLoopGetCurrent()
    private let mode = RunLoop.current.currentMode ?? .default
    let takesPieces = true
  #endif

  /// - Precondition: called in `startLoading`.
  init(for target: URLProtocol) {
    self.target = target
    #if canImport(FoundationNetworking)
      let task = target.task.map(TaskInternals.init)
      queue = task?.queue
      takesPieces = task?.takesPieces ?? false
    #endif
  }

  /// - Parameter response: makes the response from the length of the body, if that is known.
  func receive(_ response: @escaping @Sendable (_ length: Int?) -> URLResponse) {
    if takesPieces {
      tell(response(nil))
    } else {
      heldResponse = response
    }
  }

  func receive(_ data: Data) {
    if takesPieces {
      tell(data)
    } else {
      heldBody.append(data)
    }
  }

  func finish() {
    if let heldResponse {
      tell(heldResponse(heldBody.count))
      tell(heldBody)
    }
    end { $0.client?.urlProtocolDidFinishLoading($0) }
  }

  func fail(_ error: any Error) {
    end { $0.client?.urlProtocol($0, didFailWithError: error) }
  }

  func close() {
    lock.withLock { target = nil }
  }

  /// Indicates whether the client has stopped the load.
  var isClosed: Bool { lock.withLock { target == nil } }

  private func tell(_ response: URLResponse) {
    call { $0.client?.urlProtocol($0, didReceive: response, cacheStoragePolicy: .notAllowed) }
  }

  private func tell(_ data: Data) {
    if !data.isEmpty { call { $0.client?.urlProtocol($0, didLoad: data) } }
  }

  private func end(_ body: @escaping @Sendable (URLProtocol) -> Void) {
    call { target in
      self.close()
      body(target)
    }
  }

  private func call(_ body: @escaping @Sendable (URLProtocol) -> Void) {
    let guarded: @Sendable () -> Void = { self.lock.withLock { if let target = self.target { body(target) } } }
    #if canImport(FoundationNetworking)
      // FoundationNetworking looks up tasks in tables that only this queue may access.
      if let queue { queue.async(execute: guarded) } else { guarded() }
    #else
      // The client must be called on the thread that called startLoading.
      CFRunLoopPerformBlock(runLoop, mode.rawValue as CFString, guarded)
      CFRunLoopWakeUp(runLoop)
    #endif
  }
}
