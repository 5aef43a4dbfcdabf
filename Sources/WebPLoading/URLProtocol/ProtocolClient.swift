import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Calls the client of a URL protocol on the queue or thread that Foundation requires.
///
/// `stopLoading` must call `close`. The client is not called after that. Therefore the lock is held during these calls:
/// the only exception to the rule that no call leaves the module while a lock is held. It is safe because Foundation
/// calls `stopLoading` on the same queue or thread, and because nothing waits for a load while it holds a lock.
final class ProtocolClient: @unchecked Sendable {
  private let lock = NSRecursiveLock()
  /// The protocol. Nil when closed, which also breaks the reference cycle of the protocol, its load and this object.
  private var target: URLProtocol?
  // The response and body so far, if the client needs the complete body in one call. Accessed on the load's queue only.
  private var heldResponse: (@Sendable (Int?) -> URLResponse)?
  private var heldBody = Data()

  #if canImport(FoundationNetworking)
    private let queue: DispatchQueue?
    /// Indicates whether the client accepts the body incrementally. Otherwise it needs the complete body in one call.
    let takesPieces: Bool
  #else
    private let runLoop = CFRunLoopGetCurrent()
    /// The mode in which the load was started, and the default mode. In only one of them, a load would wait while the
    /// thread runs its loop in the other one, for example while a view scrolls.
    private let modes = Set([RunLoop.current.currentMode ?? .default, .default]).map(\.rawValue) as CFArray
    let takesPieces = true
  #endif

  /// Creates the client of a protocol. Must be called in `startLoading`, because that determines the thread.
  init(for target: URLProtocol) {
    self.target = target
    #if canImport(FoundationNetworking)
      let task = target.task.map(TaskInternals.init)
      queue = task?.queue
      takesPieces = task?.takesPieces ?? false
    #endif
  }

  /// Delivers the response, or defers it until the length of the body is known.
  ///
  /// - Parameter response: returns the response for a body of the given length, which is nil if it is not known.
  func receive(_ response: @escaping @Sendable (_ length: Int?) -> URLResponse) {
    if takesPieces {
      deliver(response(nil))
    } else {
      heldResponse = response
    }
  }

  /// Delivers bytes, or stores them until the end if the client needs the complete body in one call. On Linux, waits
  /// until the client has received the bytes, so that they do not accumulate in its queue.
  func receive(_ data: Data) {
    if takesPieces {
      deliver(data)
    } else {
      heldBody.append(data)
    }
  }

  /// The number of bytes that are stored until the end.
  var heldBytes: Int { heldBody.count }

  func finish() {
    if let heldResponse {
      deliver(heldResponse(heldBody.count))
      deliver(heldBody)
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

  private func deliver(_ response: URLResponse) {
    call { $0.client?.urlProtocol($0, didReceive: response, cacheStoragePolicy: .notAllowed) }
  }

  private func deliver(_ data: Data) {
    if !data.isEmpty { call(waits: true) { $0.client?.urlProtocol($0, didLoad: data) } }
  }

  private func end(_ body: @escaping @Sendable (URLProtocol) -> Void) {
    call { target in
      self.close()
      body(target)
    }
  }

  private func call(waits: Bool = false, _ body: @escaping @Sendable (URLProtocol) -> Void) {
    // With the lock held: see the description of the class.
    let guarded: @Sendable () -> Void = { self.lock.withLock { if let target = self.target { body(target) } } }
    #if canImport(FoundationNetworking)
      // The client's methods access tables of FoundationNetworking that only this queue may access.
      guard let queue else { return guarded() }
      if waits { queue.sync(execute: guarded) } else { queue.async(execute: guarded) }
    #else
      // The client must be called on the thread that called startLoading.
      CFRunLoopPerformBlock(runLoop, modes, guarded)
      CFRunLoopWakeUp(runLoop)
    #endif
  }
}
