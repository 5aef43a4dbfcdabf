import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The way back to the app: calls the protocol's client where and when that is allowed.
///
/// Nothing is called after `close`, which is to be called within `stopLoading`.
final class LoadClient: @unchecked Sendable {
  private let lock = NSRecursiveLock()
  /// Nil when closed. The protocol holds its load, which holds this.
  private var target: URLProtocol?
  // What waits for the end of the body, where it has to be handed over in one piece. Touched by the load alone.
  private var heldResponse: (@Sendable (Int?) -> URLResponse)?
  private var heldBody = Data()

  #if canImport(FoundationNetworking)
    private let queue: DispatchQueue?
    /// Whether the app wants the body as it comes. Otherwise all has to be handed over at once, at the end.
    let takesPieces: Bool
  #else
    private let runLoop = CFRunLoopGetCurrent()
    private let mode = RunLoop.current.currentMode ?? .default
    let takesPieces = true
  #endif

  /// To be called within `startLoading`.
  init(for target: URLProtocol) {
    self.target = target
    #if canImport(FoundationNetworking)
      let task = target.task.map(TaskInternals.init)
      queue = task?.queue
      takesPieces = task?.takesPieces ?? false
    #endif
  }

  /// - Parameter response: makes the response, given the length of the body if that is known.
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

  /// Whether nobody listens any more.
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
      // FoundationNetworking looks up its tasks in tables that only this queue may touch.
      if let queue { queue.async(execute: guarded) } else { guarded() }
    #else
      // The client is to be called on the thread that called startLoading.
      CFRunLoopPerformBlock(runLoop, mode.rawValue as CFString, guarded)
      CFRunLoopWakeUp(runLoop)
    #endif
  }
}
