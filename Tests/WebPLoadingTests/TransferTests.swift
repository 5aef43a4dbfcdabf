import Foundation
import PureWebP
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that the length and the rate of responses are bounded.
/// Expected values: responses of a server on the loopback interface that exceed each bound.
@Suite struct TransferTests {
  private static let picture = "encoder-cwebp-q75.webp"

  /// A RIFF file whose header specifies 14 bytes after the first eight, followed by 18 more bytes.
  private let body = Data("RIFF\u{E}\0\0\0WEBP".utf8) + Data(0..<28)

  private func receive(_ body: Data, _ limit: BodyLimit, pieceLength: Int) -> (Data, TransferAccounting.Ending?) {
    var accounting = TransferAccounting(limit)
    var rest = body
    while !rest.isEmpty {
      let ending = accounting.receive(rest.prefix(pieceLength)).ending
      if let ending { return (accounting.take().0, ending) }
      rest = rest.dropFirst(pieceLength)
    }
    return (accounting.take().0, nil)
  }

  @Test(arguments: [1, 5, 12, 13, 22, 40]) func bodiesEndAtTheRIFFSize(pieceLength: Int) {
    for limit in [BodyLimit.image(maximumBytes: 22), .imageIfWebP(maximumBytes: 22, waiting: 0)] {
      // Before the signature is complete, no byte may wait for a load that takes other bodies.
      if limit != .image(maximumBytes: 22), pieceLength < 12 { continue }
      let (accepted, ending) = receive(body, limit, pieceLength: pieceLength)
      #expect(accepted == body.prefix(22) && ending == .complete)
    }
    for limit in [BodyLimit.waiting(40), .bytes(40)] {
      let (accepted, ending) = receive(body, limit, pieceLength: pieceLength)
      #expect(accepted == body && ending == nil)
    }
    #expect(receive(body, .image(maximumBytes: 21), pieceLength: pieceLength).1 == .tooLong(21))
    #expect(receive(body, .bytes(39), pieceLength: pieceLength).1 == .tooLong(39))
    #expect(receive(body, .waiting(39), pieceLength: pieceLength).1 == .tooManyWaiting(39))
  }

  /// If a RIFF file has another type or an invalid size, its size does not determine the end.
  @Test(arguments: ["RIFF\u{E}\0\0\0WAVE", "RIFX\u{E}\0\0\0WEBP", "RIFF\u{B}\0\0\0WEBP", "hello"])
  func otherBodiesHaveNoEnd(header: String) {
    let body = Data(header.utf8) + Data(count: 28)
    #expect(receive(body, .image(maximumBytes: 100), pieceLength: 1) == (body, nil))
    #expect(receive(body, .image(maximumBytes: 20), pieceLength: 1).1 == .tooLong(20))
    let isWebP = header.hasSuffix("WEBP") && header.hasPrefix("RIFF")
    let ending = receive(body, .imageIfWebP(maximumBytes: 20, waiting: 25), pieceLength: 1).1
    #expect(ending == (isWebP ? .tooLong(20) : .tooManyWaiting(25)))
  }

  /// More than 1 MiB suspends reading until the load takes the bytes. Only the first bytes schedule a call of `take`.
  @Test func waitingBytesAreBounded() {
    var accounting = TransferAccounting(.waiting(.max))
    var isFirst = [accounting.receive(Data(count: 1 << 20)).isFirst]
    var steps = [accounting.suspendIfNeeded()]
    isFirst.append(accounting.receive(Data(count: 1)).isFirst)
    for _ in 0..<2 { steps.append(accounting.suspendIfNeeded()) }
    #expect(steps == [false, true, false] && accounting.isSuspended && isFirst == [true, false])
    let (data, resumes) = accounting.take()
    #expect(data.count == 1 << 20 | 1 && resumes && !accounting.isSuspended)
    #expect(accounting.take() == (Data(), false) && accounting.receive(Data(count: 1)).isFirst)
  }

  @Test func ratesAreCountedBetweenChecks() {
    var accounting = TransferAccounting(.waiting(.max))
    var results: [Bool] = []
    for count in [100, 99] {
      _ = accounting.receive(Data(count: count))
      results.append(accounting.isTooSlow(minimum: 100))
    }
    #expect(results == [false, true])
    // A suspended task receives nothing.
    _ = accounting.receive(Data(count: 1 << 20))
    let isSuspended = accounting.suspendIfNeeded()
    results = (0..<2).map { _ in accounting.isTooSlow(minimum: 100) }
    #expect(isSuspended && results == [false, false])
  }

  /// A load that processes nothing.
  private final class StalledLoad: UpstreamLoad, @unchecked Sendable {
    let queue = DispatchQueue(label: "stalled")
    let minimumBytesPerSecond: Int
    private let limit: BodyLimit
    private let stream = AsyncStream<(any Error)?>.makeStream()

    init(_ limit: BodyLimit, minimumBytesPerSecond: Int = 0) {
      self.limit = limit
      self.minimumBytesPerSecond = minimumBytesPerSecond
    }

    func bodyLimit(for response: URLResponse) -> BodyLimit { limit }
    func didReceive(_ response: URLResponse) {}
    func didReceive(_ data: Data) {}
    func didComplete(_ error: (any Error)?) {
      stream.continuation.yield(error)
      stream.continuation.finish()
    }

    var error: (any Error)? {
      get async {
        for await error in stream.stream { return error }
        return nil
      }
    }
  }

  /// The transfer ends at the bound although the load has not processed any byte.
  @Test(
    arguments: [
      (BodyLimit.bytes(1 << 20), "index.tsv", true), (.image(maximumBytes: 1 << 20), picture, false),
      (.waiting(1 << 20), "index.tsv", true),
    ])
  func bytesAreCountedBeforeTheyAreProcessed(limit: BodyLimit, name: String, isTooLong: Bool) async throws {
    let exchange = Exchange(name, ["endless": "1"])
    let load = StalledLoad(limit)
    load.queue.suspend()
    let session = UpstreamSession(.patient, keepsURLCache: false)
    _ = session.start(URLRequest(url: exchange.url), for: load)
    _ = try await exchange.wait { $0.first?.aborted == true }
    load.queue.resume()
    let error = await load.error
    #expect((error as? URLError)?.code == (isTooLong ? .dataLengthExceedsMaximum : nil))
  }

  @Test func slowServersTimeOut() async throws {
    let configuration = URLSessionConfiguration.patient
    configuration.timeoutIntervalForRequest = 1
    // No connection reaches this rate.
    let load = StalledLoad(.waiting(.max), minimumBytesPerSecond: .max)
    let session = UpstreamSession(configuration, keepsURLCache: false)
    let exchange = Exchange.trickle()
    _ = session.start(URLRequest(url: exchange.url), for: load)
    #expect((await load.error as? URLError)?.code == .timedOut)
    _ = try await exchange.wait { $0.first?.aborted == true }
  }

  @Test func loadersAndSessionsStopAtTheRIFFSize() async throws {
    for scheme in ["http", "stwebp-http"] {
      let exchange = Exchange(Self.picture, scheme: scheme, ["endless": "1"])
      if scheme == "http" {
        let loaded = try await WebP.ImageLoader(configuration: .patient).image(for: exchange.url)
        #expect(Fixtures.Reference(loaded.image) == Fixtures.references[Self.picture])
      } else {
        let (png, _) = try await URLSession(configuration: .patient.withWebP()).data(from: exchange.url)
        #expect(try PNGReader(png).reference == Fixtures.references[Self.picture])
      }
      _ = try await exchange.wait { $0.first?.aborted == true }
    }
  }

  /// The header claims almost 4 GiB.
  @Test func limitsApplyToClaimedSizes() async throws {
    let query = ["endless": "1", "riff": "4294967286"]
    var options = WebP.ImageLoader.Options()
    options.decoding.limits.maximumBytes = 1 << 20
    let exchange = Exchange(Self.picture, query)
    let request = URLRequest(url: exchange.url)
    let loader = WebP.ImageLoader(configuration: .patient)
    await #expect { try await loader.image(for: request, options: options) } throws: {
      ($0 as? URLError)?.code == .dataLengthExceedsMaximum
    }
    var claimed = WebPURLProtocol.Options()
    claimed.conversion.limits.maximumBytes = 1 << 20
    let session = URLSession(configuration: .patient.withWebP(claimed))
    await #expect { try await session.data(for: request) } throws: {
      ($0 as? URLError)?.code == .dataLengthExceedsMaximum
    }
    _ = try await exchange.wait { $0.count == 2 && $0.allSatisfy(\.aborted) }
  }

  /// The body is not a WebP, so its length is not limited. A completion handler receives it in one call.
  @Test(arguments: [200, 404]) func bodiesThatWaitForTheAppAreBounded(status: Int) async throws {
    var options = WebPURLProtocol.Options()
    options.maximumWaitingBytes = 1 << 20
    let session = URLSession(configuration: .patient.withWebP(options))
    let endless = Exchange("a.webp", ["text": "hello", "endless": "1", "status": "\(status)"])
    let error = await #expect(throws: URLError.self) { try await session.data(from: endless.url) }
    #expect(error?.code == .dataLengthExceedsMaximum)
    #expect(error?.localizedDescription.contains("maximumWaitingBytes (1048576)") == true)
    _ = try await endless.wait { $0.first?.aborted == true }
    // The PNG is longer than the maximum, but only bodies that are passed on unchanged count.
    options.maximumWaitingBytes = 100
    let converting = URLSession(configuration: .patient.withWebP(options))
    let (png, _) = try await converting.data(from: Exchange(Self.picture).url)
    #expect(png.count > 100)
  }

  /// Interim responses are not the response.
  @Test(arguments: ["HTTP/1.1 103 Early Hints\\nLink: </a.css>\\n\\n", "HTTP/1.1 100 Continue\\n\\n"])
  func interimResponsesAreIgnored(interim: String) async throws {
    let exchange = Exchange(Self.picture, ["before": interim + interim])
    let loaded = try await WebP.ImageLoader(configuration: .patient).image(for: exchange.url)
    #expect(Fixtures.Reference(loaded.image) == Fixtures.references[Self.picture])
    let record = await URLSession.record(URLRequest(url: exchange.url))
    #expect(record.response?.statusCode == 200 && record.error == nil)
    #expect(try PNGReader(record.body).reference == Fixtures.references[Self.picture])
  }
}
