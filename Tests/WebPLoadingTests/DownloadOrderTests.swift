import ConformanceGenerator
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

/// Proves that readers get their images in any order of events, and that a download changes executors rarely.
/// Expected values: the complete file, decoded in one call, and three hops for each step.
@Suite struct DownloadOrderTests {
  private let picture: Data
  /// The options of the readers, each with the image that they must get. Nil for the file.
  private let kinds: [(options: Loader.Options, image: WebP.Image?)]

  init() throws {
    let picture = try Fixtures.bytes("vp8-partitions-padded.webp")
    self.picture = picture
    var options = Loader.Options(maximumRetries: 100, retryDelay: 0)
    var kinds: [(options: Loader.Options, image: WebP.Image?)] = [(options, nil)]
    for size in [nil, WebP.OutputSize.fit(width: 20)] {
      options.decoding.size = size
      let image = try WebP.decode(picture, options: options.decoding)
      for isProgressive in [true, false] {
        options.isProgressive = isProgressive
        kinds.append((options, image))
      }
    }
    self.kinds = kinds
  }

  // MARK: Orders

  /// 10,000 orders of join, leave, piece, retry and priority. Each ends when the server has sent everything. The orders
  /// of a block share a scheduler, so that a slot that stays occupied ends the loads of later ones.
  @Test(arguments: 0..<100) func anyOrderDeliversTheImages(block: Int) async throws {
    let server = DrivenTransport(picture)
    var limits = DownloadScheduler.Limits(maximumLoads: 2)
    // Retries begin immediately. No timeout passes.
    limits.clock.after = { seconds, work in if seconds == 0 { work() } }
    let scheduler = DownloadScheduler(limits, .patient, nil, transport: server)
    for seed in block * 100..<(block + 1) * 100 { try await deliver(seed, scheduler, server) }
    // Both slots are free again.
    server.drain()
    for name in ["c", "d"] {
      let request = URLRequest(url: URL(string: "http://a/\(name)")!)
      let (_, file) = try await Self.result(scheduler.read(request, .init(), decodes: false).1)
      #expect(file == picture)
    }
  }

  private func deliver(_ seed: Int, _ scheduler: DownloadScheduler, _ server: DrivenTransport) async throws {
    var random = SplitMix64(seed: UInt64(seed))
    server.hold()
    let url = URL(string: "http://a/\(seed).webp")!
    var readers: [(number: Int, kind: Int, isLeft: Bool, task: Task<(WebP.Image?, Data?), any Error>)] = []
    for _ in 0..<random.below(14) + 2 {
      switch random.below(6) {
      case 0, 1:
        let kind = random.below(kinds.count)
        let (number, events) = scheduler.read(
          URLRequest(url: url), kinds[kind].options, decodes: kinds[kind].image != nil)
        readers.append((number, kind, false, Task { try await Self.result(events) }))
      case 2:
        guard let index = readers.indices.randomElement(using: &random) else { continue }
        readers[index].isLeft = true
        readers[index].task.cancel()
      case 3: server.push(random.below(picture.count / 3) + 1)
      case 4: server.fail()
      default:
        guard let reader = readers.randomElement(using: &random) else { continue }
        scheduler.setPriority(.high, of: reader.number)
      }
      if random.below(2) == 0 { await Task.yield() }
    }
    server.drain()
    for reader in readers {
      switch await reader.task.result {
      case .success((let image, let file)):
        let isExpected = image == kinds[reader.kind].image && (image != nil || file == picture)
        if !isExpected, !reader.isLeft { Issue.record("order \(seed): another image") }
      case .failure(let error):
        if !reader.isLeft { Issue.record("order \(seed): \(error)") }
      }
    }
  }

  /// Waits for the last event. Fails if there are two placeholders.
  private static func result(_ events: DownloadScheduler.Events) async throws -> (WebP.Image?, Data?) {
    var placeholders = 0
    for try await event in events {
      switch event {
      case .file(let file): return (nil, file.bytes)
      case .update(.finished(let loaded), _): return (loaded.image, nil)
      case .update(.placeholder, _):
        placeholders += 1
        #expect(placeholders == 1)
      case .update, .rows, .needsSize: break
      }
    }
    throw CancellationError()
  }

  // MARK: Hops

  /// The file arrives in 16 pieces, each after the last one was processed.
  @Test(arguments: [false, true]) func hopsAreFew(isProgressive: Bool) async throws {
    let hops = Counter()
    var limits = DownloadScheduler.Limits()
    limits.clock.didHop = { hops.add() }
    let length = (picture.count + 15) / 16
    let pieces = stride(from: 0, to: picture.count, by: length).map { picture[$0..<min($0 + length, picture.count)] }
    #expect(pieces.count == 16)
    let scheduler = DownloadScheduler(limits, .patient, nil, transport: SlowTransport(pieces: pieces))
    let request = URLRequest(url: URL(string: "http://a/b.webp")!)
    let (_, events) = scheduler.read(request, .init(isProgressive: isProgressive))
    let (image, _) = try await Self.result(events)
    #expect(image.map { $0 == kinds[1].image } == true)
    // Three for each of at most 16 steps, and eight for the rest. Without rows, there are five steps.
    #expect(hops.count <= (isProgressive ? 3 * 16 + 8 : 24), "\(hops.count)")
    #expect(hops.count >= 8)
  }
}

/// A body whose pieces a test yields.
private actor StreamBody: WebP.TransportBody {
  private var iterator: AsyncThrowingStream<Data, any Error>.Iterator

  init(_ stream: AsyncThrowingStream<Data, any Error>) { iterator = stream.makeAsyncIterator() }

  func next() async throws -> Data? {
    var next = iterator
    defer { iterator = next }
    return try await next.next(isolation: self)
  }
}

/// A server that sends a file when the test says so, and continues it.
private final class DrivenTransport: WebP.Transport {
  private typealias Continuation = AsyncThrowingStream<Data, any Error>.Continuation

  private let file: Data
  private let state = Locked((bodies: [(rest: Data, continuation: Continuation)](), isDraining: false))

  init(_ file: Data) { self.file = file }

  func send(_ request: URLRequest, options: WebP.TransportOptions) async throws -> WebP.TransportResponse {
    let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
    let range = request.value(forHTTPHeaderField: "Range")
    let start = range.flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
    let isDraining = state.withLock { [file] in
      $0.bodies.append((file.dropFirst(start), continuation))
      return $0.isDraining
    }
    if isDraining { drain() }
    var fields = [(name: "ETag", value: "\"1\"")]
    if range != nil { fields.append(("Content-Range", "bytes \(start)-\(file.count - 1)/\(file.count)")) }
    return WebP.TransportResponse(status: range == nil ? 200 : 206, fields: fields, body: StreamBody(stream))
  }

  /// Sends bytes of each body.
  func push(_ count: Int) {
    let pieces = state.withLock { state in
      state.bodies.indices.map { index in
        let piece = state.bodies[index].rest.prefix(count)
        state.bodies[index].rest = state.bodies[index].rest.dropFirst(count)
        return (piece, state.bodies[index].rest.isEmpty, state.bodies[index].continuation)
      }
    }
    for (piece, isLast, continuation) in pieces {
      if !piece.isEmpty { continuation.yield(Data(piece)) }
      if isLast { continuation.finish() }
    }
  }

  /// Loses all connections.
  func fail() {
    let bodies = state.withLock { state in
      defer { state.bodies = [] }
      return state.bodies.map(\.continuation)
    }
    for body in bodies { body.finish(throwing: URLError(.networkConnectionLost)) }
  }

  /// Sends nothing more by itself.
  func hold() { state.withLock { $0.isDraining = false } }

  /// Sends everything, also in later responses.
  func drain() {
    state.withLock { $0.isDraining = true }
    push(.max)
  }
}

/// Sends each piece after a pause.
private struct SlowTransport: WebP.Transport {
  let pieces: [Data]

  func send(_ request: URLRequest, options: WebP.TransportOptions) async throws -> WebP.TransportResponse {
    WebP.TransportResponse(status: 200, fields: [], body: Body(pieces))
  }

  private actor Body: WebP.TransportBody {
    private var pieces: ArraySlice<Data>

    init(_ pieces: [Data]) { self.pieces = pieces[...] }

    func next() async throws -> Data? {
      try await Task.sleep(nanoseconds: 2_000_000)
      return pieces.popFirst()
    }
  }
}
