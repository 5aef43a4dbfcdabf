import Foundation
import PureWebP
import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport in memory that plays a script for each request: no server, no real time.
public final class ScriptedTransport: WebP.Transport, @unchecked Sendable {
  /// A step of a response. `send` plays the steps up to the head, and each call of the body's `next` the steps up to
  /// the next piece. The end of the steps is the end of the body.
  public enum Step: Sendable {
    case head(Int, [String: String] = [:])
    /// A head whose fields may have equal names.
    case fields(Int, [(String, String)])
    case piece(Data)
    /// Waits until the test opens the gate.
    case wait(Gate)
    case fail(any Error)
  }

  private let script: @Sendable (URLRequest) -> [Step]
  /// Protects the variables. Not held while another object is called.
  private let lock = NSLock()
  private var sent: [URLRequest] = []
  private var sentOptions: [WebP.TransportOptions] = []
  private var released = 0
  private var pulled = 0

  /// - Parameter script: returns the steps for a request.
  public init(_ script: @escaping @Sendable (URLRequest) -> [Step]) { self.script = script }

  /// Answers each request with the same steps.
  public convenience init(_ steps: Step...) { self.init { _ in steps } }

  /// The requests so far.
  public var requests: [URLRequest] { lock.withLock { sent } }
  /// The number of bodies that were released.
  public var releasedBodies: Int { lock.withLock { released } }
  /// The number of pieces that loads have pulled.
  public var pulledPieces: Int { lock.withLock { pulled } }

  /// The options of the requests so far.
  public var options: [WebP.TransportOptions] { lock.withLock { sentOptions } }

  public func send(_ request: URLRequest, options: WebP.TransportOptions) async throws -> WebP.TransportResponse {
    lock.withLock {
      sent.append(request)
      sentOptions.append(options)
    }
    let body = Body(self, script(request))
    while let step = body.takeStep() {
      switch step {
      case .head(let status, let fields):
        return WebP.TransportResponse(status: status, fields: fields.map { ($0.key, $0.value) }, body: body)
      case .fields(let status, let fields):
        return WebP.TransportResponse(status: status, fields: fields.map { ($0.0, $0.1) }, body: body)
      case .piece: fatalError("a piece precedes the head")
      case .wait(let gate): try await gate.wait()
      case .fail(let error): throw error
      }
    }
    throw URLError(.badServerResponse)
  }

  private final class Body: WebP.TransportBody, @unchecked Sendable {
    private let transport: ScriptedTransport
    /// Accessed by the task that pulls.
    private var steps: [Step]

    init(_ transport: ScriptedTransport, _ steps: [Step]) {
      self.transport = transport
      self.steps = steps.reversed()
    }

    deinit { transport.lock.withLock { transport.released += 1 } }

    func takeStep() -> Step? { steps.popLast() }

    func next() async throws -> Data? {
      while let step = takeStep() {
        switch step {
        case .head, .fields: fatalError("there are two heads")
        case .piece(let data):
          transport.lock.withLock { transport.pulled += 1 }
          return data
        case .wait(let gate): try await gate.wait()
        case .fail(let error): throw error
        }
      }
      return nil
    }
  }
}

/// Stops tasks until it is opened. Thread-safe.
public final class Gate: @unchecked Sendable {
  /// Protects the variables. Not held while a continuation is resumed.
  private let lock = NSLock()
  private var isOpen = false
  private var arrivals = 0
  private var waiting: [UUID: CheckedContinuation<Void, Never>] = [:]
  /// The tests that wait for arrivals, each with the number that it waits for.
  private var observers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

  public init() {}

  /// Waits until the gate is open.
  ///
  /// - Throws: `CancellationError` as soon as the task is canceled.
  public func wait() async throws {
    let id = UUID()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (passes, ready): (Bool, [CheckedContinuation<Void, Never>]) = lock.withLock {
          arrivals += 1
          if !isOpen { waiting[id] = continuation }
          defer { observers.removeAll { $0.count <= arrivals } }
          return (isOpen, observers.filter { $0.count <= arrivals }.map(\.continuation))
        }
        for observer in ready { observer.resume() }
        if passes { return continuation.resume() }
        if Task.isCancelled { resume(id) }
      }
    } onCancel: {
      resume(id)
    }
    try Task.checkCancellation()
  }

  private func resume(_ id: UUID) { lock.withLock { waiting.removeValue(forKey: id) }?.resume() }

  /// Waits until a number of tasks have arrived at the gate.
  public func arrival(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let hasArrived = lock.withLock {
        if arrivals < count { observers.append((count, continuation)) }
        return arrivals >= count
      }
      if hasArrived { continuation.resume() }
    }
  }

  public func open() {
    let all = lock.withLock {
      isOpen = true
      defer { waiting = [:] }
      return Array(waiting.values)
    }
    for continuation in all { continuation.resume() }
  }
}
