import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request and its response: a task that sends, and pulls the body into a bounded buffer.
///
/// The load waits for the buffer, and never for the transport. Therefore it ends as soon as it is canceled, the
/// deadline passes, or too few bytes arrive, even if the transport ignores that its task is canceled.
final class Exchange: Sendable {
  /// The number of bytes in the buffer from which the next ones are not pulled.
  static let maximumWaitingBytes = 256 << 10

  struct Head: Sendable {
    let response: HTTPURLResponse
    /// The values of all `Set-Cookie` fields.
    let cookies: [String]
  }

  private let inbox: Inbox<Head>
  private let task = TaskHandle()
  /// Protects the state. Not held while another object is called.
  private let state: Locked<State>
  private let runtime: Runtime
  private let minimumBytesPerSecond: Int
  /// The waiting time over which the rate is averaged, in seconds.
  private let window: Double
  /// The time at which the transfer ends in any case.
  private let deadline: Double

  private struct State: Sendable {
    /// The number of bytes in this window.
    var bytes = 0
    /// The time in this window for which the transport was waited for, without the current wait.
    var waited = 0.0
    /// The start of the current wait. Nil while the buffer is full.
    var start: Double?

    mutating func endWait(_ now: Double) {
      if let start { waited += now - start }
      start = nil
    }
  }

  init(_ configuration: URLSessionConfiguration, minimumBytesPerSecond: Int, _ runtime: Runtime) {
    let now = runtime.now()
    inbox = Inbox(runtime)
    self.runtime = runtime
    self.minimumBytesPerSecond = minimumBytesPerSecond
    window = configuration.timeoutIntervalForRequest
    deadline = now + configuration.timeoutIntervalForResource
    state = Locked(State(start: now))
    if window > 0 { check(after: window) }
  }

  /// Sends the request.
  ///
  /// - Parameter body: the rules for the end of the body.
  func start(
    _ request: URLRequest, _ options: WebP.TransportOptions, _ transport: any WebP.Transport, _ body: BodyRules
  ) {
    task.start(runtime) { await self.run(request, options, transport, body) }
  }

  /// Waits for the head. If it fails, the transfer ends.
  nonisolated(nonsending) func takeHead() async throws -> Head {
    do { return try await inbox.takeHead() } catch {
      task.cancel()
      throw error
    }
  }

  /// Waits for bytes of the file, and returns all that wait, see `Transfer.next`.
  nonisolated(nonsending) func next(atLeast minimum: Int) async throws -> Data? {
    try await inbox.next(atLeast: min(minimum, Self.maximumWaitingBytes))
  }

  func wake() { inbox.wake() }

  var isTaken: Bool { inbox.isTaken }

  /// Ends the transfer, even if the transport does not.
  func cancel() {
    inbox.cancel()
    task.cancel()
  }

  private func run(
    _ request: URLRequest, _ options: WebP.TransportOptions, _ transport: any WebP.Transport, _ rules: BodyRules
  ) async {
    do {
      let response = try await transport.send(request, options: options)
      let head = try HTTPURLResponse(checking: response, url: request.url)
      let cookies = response.fields.filter { $0.name.lowercased() == "set-cookie" }.map(\.value)
      // Begins a new window.
      let now = runtime.now()
      state.withLock { ($0.bytes, $0.waited, $0.start) = (0, 0, now) }
      inbox.receive(Head(response: head, cookies: cookies))
      if !head.isRedirect { try await pull(response.body, BodyLength(rules, head, request)) }
      inbox.end(.success(()))
    } catch  where error is URLError || error is CancellationError {
      inbox.end(.failure(error))
    } catch {
      inbox.end(.failure(URLError(.networkConnectionLost, "\(error)", cause: error)))
    }
  }

  /// Pulls the body up to the end of the file, which may precede the end of the body. A transport may deliver the
  /// latter late or never.
  private func pull(_ body: any WebP.TransportBody, _ length: BodyLength) async throws {
    var length = length
    while !length.isComplete, !inbox.hasEnded {
      guard let piece = try await body.next() else { return try length.checkEnd() }
      // A transport that delivers nothing again and again would occupy a processor until the timeout.
      if piece.isEmpty { throw URLError(.badServerResponse, "the transport delivers an empty piece") }
      let accepted = try length.accept(piece)
      guard let waitingCount = inbox.receive(accepted, isLast: length.isComplete) else { return }
      let isFull = waitingCount > Self.maximumWaitingBytes
      received(piece.count, isFull: isFull)
      if isFull {
        try await inbox.takeRoom(Self.maximumWaitingBytes)
        let now = runtime.now()
        state.withLock { $0.start = now }
      }
    }
  }

  private func received(_ count: Int, isFull: Bool) {
    let now = runtime.now()
    state.withLock {
      $0.endWait(now)
      $0.bytes += count
      if !isFull { $0.start = now }
    }
  }

  // MARK: The rate

  private func check(after seconds: Double) {
    runtime.after(seconds) { [weak self] in self?.check() }
  }

  private func check() {
    if inbox.hasEnded { return }
    let now = runtime.now()
    let (failure, waited): (URLError?, Double) = state.withLock { state in
      if state.start != nil {
        state.endWait(now)
        state.start = now
      }
      if now >= deadline { return (URLError(.timedOut, "the transfer exceeds timeoutIntervalForResource"), 0) }
      guard state.waited >= window * 0.999 else { return (nil, state.waited) }
      let isSlow = Double(state.bytes) < max(1, Double(minimumBytesPerSecond) * window)
      (state.bytes, state.waited) = (0, 0)
      let slow = URLError(.timedOut, "fewer than \(minimumBytesPerSecond) bytes per second arrived")
      return (isSlow ? slow : nil, 0)
    }
    if let failure {
      inbox.end(.failure(failure))
      task.cancel()
    } else {
      check(after: max(0.001, min(window - waited, deadline - now)))
    }
  }
}
