import Foundation
import LoadingTestSupport
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that the length and the rate of responses are bounded.
/// Expected values: responses of a server on the loopback interface that exceed each bound.
@Suite(.gated, .needs("python3")) struct TransferTests {
  /// A RIFF file whose header specifies 14 bytes after the first eight, followed by 18 more bytes.
  private let body = Data("RIFF\u{E}\0\0\0WEBP".utf8) + Data(0..<28)

  /// Pulls a body that arrives in pieces.
  private func receive(_ body: Data, _ rules: BodyRules, pieceLength: Int) async throws -> Data {
    let pieces = stride(from: 0, to: body.count, by: pieceLength).map {
      Step.piece(body[$0..<min($0 + pieceLength, body.count)])
    }
    let upstream = Upstream(
      .patient, transport: ScriptedTransport { _ in [.head(200)] + pieces }, keepsURLCache: false)
    let transfer = try await upstream.send(URLRequest(url: URL(string: "http://a/")!), rules)
    var received = Data()
    while let piece = try await transfer.next() { received += piece }
    return received
  }

  private func expectTooLong(_ body: Data, _ rules: BodyRules, pieceLength: Int) async {
    await #expect { try await receive(body, rules, pieceLength: pieceLength) } throws: {
      ($0 as? URLError)?.code == .dataLengthExceedsMaximum
    }
  }

  @Test(arguments: [1, 5, 12, 13, 22, 40]) func bodiesEndAtTheRIFFSize(pieceLength: Int) async throws {
    for rules in [BodyRules(maximumBytes: 22), .init(maximumBytes: 22, limitsWebPOnly: true)] {
      #expect(try await receive(body, rules, pieceLength: pieceLength) == body.prefix(22))
    }
    await expectTooLong(body, .init(maximumBytes: 21), pieceLength: pieceLength)
  }

  /// A body ends with the byte that `Content-Length` announces, whatever its transport does afterwards.
  @Test func bodiesEndAtTheirLength() async throws {
    let (gate, body) = (Gate(), Data(1...40))
    let ends: [[Step]] = [
      [], [.wait(gate)], [.fail(URLError(.networkConnectionLost))], [.piece(body)],
    ]
    for end in ends {
      let transport = ScriptedTransport { _ in [.head(200, ["Content-Length": "40"]), .piece(body)] + end }
      let upstream = Upstream(.patient, transport: transport, keepsURLCache: false)
      let transfer = try await upstream.send(URLRequest(url: URL(string: "http://a/")!), .init(maximumBytes: 40))
      #expect(try await transfer.next() == body)
      #expect(try await transfer.next() == nil)
    }
  }

  /// If a RIFF file has another type or an invalid size, its size does not determine the end.
  @Test(arguments: ["RIFF\u{E}\0\0\0WAVE", "RIFX\u{E}\0\0\0WEBP", "RIFF\u{B}\0\0\0WEBP", "hello"])
  func otherBodiesHaveNoEnd(header: String) async throws {
    let body = Data(header.utf8) + Data(count: 28)
    #expect(try await receive(body, .init(maximumBytes: 100), pieceLength: 1) == body)
    await expectTooLong(body, .init(maximumBytes: 20), pieceLength: 1)
    if header.hasSuffix("WEBP"), header.hasPrefix("RIFF") {
      await expectTooLong(body, .init(maximumBytes: 20, limitsWebPOnly: true), pieceLength: 1)
    } else {
      #expect(try await receive(body, .init(maximumBytes: 20, limitsWebPOnly: true), pieceLength: 1) == body)
    }
  }

  /// The clock stands still while the load waits for bytes, until the test advances it.
  @Test(arguments: [0, 256]) func silentServersTimeOut(minimumBytesPerSecond: Int) async throws {
    let (clock, gate) = (ManualClock(), Gate())
    let configuration = URLSessionConfiguration.patient
    configuration.timeoutIntervalForRequest = 60
    let transport = ScriptedTransport(.head(200), .piece(Data(count: 100)), .wait(gate))
    let upstream = Upstream(configuration, transport: transport, keepsURLCache: false, clock: clock.clock)
    let request = URLRequest(url: URL(string: "http://a/")!)
    let transfer = try await upstream.send(
      request, .init(maximumBytes: 1000), minimumBytesPerSecond: minimumBytesPerSecond)
    #expect(try await transfer.next()?.count == 100)
    // If the clock advanced before, the transfer might end before the gate.
    await gate.arrival()
    // The load does something else for hours.
    clock.advance(10_000)
    let waiting = Task { try await transfer.next() }
    clock.advance(59)
    clock.advance(1)
    clock.advance(60)
    await #expect { try await waiting.value } throws: { ($0 as? URLError)?.code == .timedOut }
  }

  /// The transport ignores that its task is canceled, and answers later. The load has ended before.
  @Test func canceledLoadsPullNothing() async throws {
    let (gate, script) = (Gate(), ScriptedTransport(.head(200), .piece(body)))
    let transport = StubbornTransport(base: script, gate: gate)
    let loader = WebP.ImageLoader(configuration: .patient, transport: transport)
    let load = Task { try await loader.data(for: URL(string: "http://a/b.webp")!) }
    await gate.arrival()
    load.cancel()
    await #expect(throws: CancellationError.self) { try await load.value }
    // The load ends before its transfer.
    try await transport.cancellation.wait()
    gate.open()
    try await waitUntil { script.releasedBodies == 1 }
    #expect(script.pulledPieces == 0)
  }

  /// The load does something else for hours, while the server waits because the buffer is full.
  @Test func fullBuffersAreNotSlow() async throws {
    let clock = ManualClock()
    let configuration = URLSessionConfiguration.patient
    configuration.timeoutIntervalForRequest = 60
    let pieces = [Step](repeating: .piece(Data(count: 100_000)), count: 10)
    let transport = ScriptedTransport { _ in [.head(200)] + pieces }
    let upstream = Upstream(configuration, transport: transport, keepsURLCache: false, clock: clock.clock)
    let transfer = try await upstream.send(
      URLRequest(url: URL(string: "http://a/")!), .init(maximumBytes: .max), minimumBytesPerSecond: 1000)
    // The clock is read at the start, after the head and after each piece.
    try await waitUntil { clock.readCount == 5 }
    for _ in 0..<100 { clock.advance(100) }
    #expect(transport.pulledPieces == 3)
    var count = 0
    while let data = try await transfer.next() { count += data.count }
    #expect(count == 1_000_000)
  }

  @Test func slowServersTimeOut() async throws {
    let configuration = URLSessionConfiguration.patient
    configuration.timeoutIntervalForRequest = 1
    let exchange = Exchange.trickle()
    // No connection reaches this rate.
    let loader = WebP.ImageLoader(configuration: configuration, minimumBytesPerSecond: .max)
    await #expect { try await loader.data(for: exchange.url) } throws: {
      ($0 as? WebP.LoadError)?.underlyingError.code == .timedOut
    }
    _ = try await exchange.wait { $0.first?.aborted == true }
  }

  @Test func loadersAndSessionsStopAtTheRIFFSize() async throws {
    for scheme in ["http", "stwebp-http"] {
      let exchange = Exchange(Fixtures.photo, scheme: scheme, ["endless": "1"])
      if scheme == "http" {
        let loaded = try await WebP.ImageLoader(configuration: .patient).image(for: exchange.url)
        #expect(Fixtures.Reference(loaded.image) == Fixtures.references[Fixtures.photo])
      } else {
        let (png, _) = try await URLSession(configuration: .patient.withWebP()).data(from: exchange.url)
        #expect(try PNGReader(png).reference == Fixtures.references[Fixtures.photo])
      }
      _ = try await exchange.wait { $0.first?.aborted == true }
    }
  }

  /// A load does not await the end of a body that is complete. Nevertheless, its connection is used again.
  @Test func connectionsAreUsedAgain() async throws {
    let loader = WebP.ImageLoader(configuration: .patient)
    var ports: Set<Int> = []
    for _ in 0..<10 {
      let exchange = Exchange(Fixtures.photo)
      _ = try await loader.data(for: exchange.url)
      try await ports.formUnion(exchange.wait { $0.first?.done == true }.map(\.port))
    }
    // On a slow machine, a load may begin before the last one has returned its connection.
    #expect(ports.count < 10)
  }

  /// The header claims almost 4 GiB.
  @Test func limitsApplyToClaimedSizes() async throws {
    let query = ["endless": "1", "riff": "4294967286"]
    let options = WebP.ImageLoader.Options(decoding: .init(isUpright: true, limits: .init(maximumBytes: 1 << 20)))
    let exchange = Exchange(Fixtures.photo, query)
    let request = URLRequest(url: exchange.url)
    let loader = WebP.ImageLoader(configuration: .patient)
    await #expect { try await loader.image(for: request, options: options) } throws: {
      ($0 as? WebP.LoadError)?.underlyingError.code == .dataLengthExceedsMaximum
    }
    let claimed = WebPURLProtocol.Options(conversion: .init(limits: .init(maximumBytes: 1 << 20)))
    let session = URLSession(configuration: .patient.withWebP(claimed))
    await #expect { try await session.data(for: request) } throws: {
      ($0 as? URLError)?.code == .dataLengthExceedsMaximum
    }
    _ = try await exchange.wait { $0.count == 2 && $0.allSatisfy(\.aborted) }
  }

  /// The body is not a WebP, so its length is not limited. A completion handler receives it in one call.
  @Test(arguments: [200, 404]) func bodiesThatWaitForTheAppAreBounded(status: Int) async throws {
    var options = WebPURLProtocol.Options(maximumWaitingBytes: 1 << 20)
    let session = URLSession(configuration: .patient.withWebP(options))
    let endless = Exchange("a.webp", ["text": "hello", "endless": "1", "status": "\(status)"])
    let error = await #expect(throws: URLError.self) { try await session.data(from: endless.url) }
    #expect(error?.code == .dataLengthExceedsMaximum)
    #expect(error?.localizedDescription.contains("maximumWaitingBytes (1048576)") == true)
    _ = try await endless.wait { $0.first?.aborted == true }
    // The PNG is longer than the maximum, but only bodies that are passed on unchanged count.
    options.maximumWaitingBytes = 100
    let converting = URLSession(configuration: .patient.withWebP(options))
    let (png, _) = try await converting.data(from: Exchange(Fixtures.photo).url)
    #expect(png.count > 100)
  }
}

/// A transport that does not respond to cancellation.
private struct StubbornTransport: WebP.Transport {
  let base: ScriptedTransport
  let gate: Gate
  /// Open when the task was canceled.
  let cancellation = Gate()

  func send(_ request: URLRequest, options: WebP.TransportOptions) async throws -> WebP.TransportResponse {
    let waiting = Task { try await gate.wait() }
    try await withTaskCancellationHandler {
      try await waiting.value
    } onCancel: {
      cancellation.open()
    }
    return try await base.send(request, options: options)
  }
}

/// A clock that only the test advances.
final class ManualClock: @unchecked Sendable {
  /// Protects the variables. Not held while a function is called.
  private let lock = NSLock()
  private var time = 0.0
  private var reads = 0
  private var timers: [(time: Double, call: @Sendable () -> Void)] = []

  var clock: Runtime {
    var clock = Runtime()
    clock.now = {
      self.lock.withLock {
        self.reads += 1
        return self.time
      }
    }
    clock.after = { seconds, call in self.lock.withLock { self.timers.append((self.time + seconds, call)) } }
    return clock
  }

  var readCount: Int { lock.withLock { reads } }

  func advance(_ seconds: Double) {
    let due = lock.withLock {
      time += seconds
      defer { timers.removeAll { $0.time <= time } }
      return timers.filter { $0.time <= time }.map(\.call)
    }
    for call in due { call() }
  }
}
