// Failures, cancellation, and leaks.

import Foundation
import PureWebP
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension LoadingTests {
  @Test(arguments: [5, 40, 600]) func interruptedConnectionsFail(length: Int) async throws {
    for query in [["cut": "\(length)"], ["cut": "\(length)", "chunked": "1"]] {
      let exchange = Exchange(Fixtures.photo, query)
      await #expect(throws: URLError.self) { try await session.data(from: exchange.url) }
      let record = await URLSession.record(URLRequest(url: exchange.url))
      #expect(record.error != nil)
    }
  }

  @Test func corruptImagesFail() async throws {
    do {
      _ = try await session.data(from: Exchange("lossless-broken.webp", ["as": "animation-nothing.webp"]).url)
      Issue.record("a corrupt image was loaded")
    } catch let error as URLError {
      #expect(error.code == .cannotDecodeContentData)
      #expect(error.errorUserInfo[NSUnderlyingErrorKey] is WebP.DecodeError)
    }
  }

  @Test func exceededLimitsFail() async throws {
    let options = WebPURLProtocol.Options(conversion: .init(limits: .init(maximumPixels: 100)))
    let session = URLSession(configuration: .patient.withWebP(options))
    await #expect { try await session.data(from: Exchange(Fixtures.photo).url) } throws: {
      ($0 as? URLError)?.code == .dataLengthExceedsMaximum
    }
  }

  @Test func refusedConnectionsFail() async throws {
    let url = URL(string: "http://127.0.0.1:1/a.webp")!
    await #expect { try await session.data(from: url) } throws: { ($0 as? URLError)?.code == .cannotConnectToHost }
  }

  #if canImport(FoundationNetworking)
    @Test func downloadsFailCleanly() async throws {
      let exchange = Exchange(Fixtures.photo)
      await #expect { try await session.download(from: exchange.url) } throws: {
        ($0 as? URLError)?.code == .unsupportedURL
      }
      #expect(try await exchange.log().isEmpty)
    }
  #endif

  // MARK: Incremental loading

  @Test func firstBytesAreDeliveredEarly() async throws {
    let size = try Fixtures.bytes("four-megapixels.webp").count
    let exchange = Exchange("four-megapixels.webp", ["hold": "\(size / 2)"])
    let recorder = Recorder()
    let session = recorder.session()
    session.dataTask(with: exchange.url).resume()
    // The server sends nothing beyond the first half until it is released.
    let early = await recorder.wait { !$0.body.isEmpty || $0.isComplete }
    #expect(!early.isComplete)
    #expect(try await exchange.log().first!.sent <= size / 2)
    try await exchange.release()
    let record = await recorder.wait()
    #expect(record.pieces > 1)
    #expect(try PNGReader(record.body).reference == Fixtures.references["four-megapixels.webp"])
    session.finishTasksAndInvalidate()
  }

  @Test(arguments: ["-1", "0", "5", "300", "900"])
  func canceledTasksEndTheirRequests(hold: String) async throws {
    let exchange = Exchange(Fixtures.photo, ["hold": hold, "piece": "50"])
    let recorder = Recorder()
    let session = recorder.session()
    let task = session.dataTask(with: exchange.url)
    task.resume()
    _ = try await exchange.wait { $0.first.map { hold == "-1" || $0.sent == Int(hold) } ?? false }
    task.cancel()
    let record = await recorder.wait()
    #expect(record.error?.code == .cancelled)
    let requests = try await exchange.wait { $0.allSatisfy { $0.aborted } }
    #expect(requests.count == 1)
    session.finishTasksAndInvalidate()

    let handled = Task { try await self.session.data(from: exchange.url) }
    _ = try await exchange.wait { $0.count == 2 }
    handled.cancel()
    await #expect(throws: (any Error).self) { try await handled.value }
    _ = try await exchange.wait { $0.allSatisfy { $0.aborted } }
  }

  @Test func sessionsWorkAfterCancellationAtAnyMoment() async throws {
    let recorder = Recorder()
    let session = recorder.session()
    for round in 0..<120 {
      let task = session.dataTask(with: Exchange(Fixtures.photo, ["chunked": "1", "piece": "200"]).url)
      if round > 2 { task.resume() }
      try await Task.sleep(nanoseconds: UInt64(round % 60) * 100_000)
      task.cancel()
    }
    // The session still works.
    let exchange = Exchange(Fixtures.photo)
    #expect(try PNGReader(await URLSession.record(URLRequest(url: exchange.url)).body).reference == Self.reference)
    session.invalidateAndCancel()
  }

  @Test func manyConcurrentLoadsSucceed() async throws {
    let names = ["encoder-cwebp-q75.webp", "encoder-cwebp-alpha-best.webp", "encoder-pillow-lossless.webp"]
    let exchange = Exchange("")
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<60 {
        group.addTask {
          let name = names[index % names.count]
          let url = Exchange.url(name, [("id", exchange.id), ("chunked", "1"), ("piece", "300")])
          if index % 2 == 0 {
            return try PNGReader(await self.session.data(from: url).0).reference == Fixtures.references[name]
          }
          let record = await URLSession.record(URLRequest(url: url))
          return try PNGReader(record.body).reference == Fixtures.references[name]
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
    #expect(try await exchange.log().count == 60)
  }

  // MARK: Leaks

  private final class Token: Sendable {
    static let count = Locked((alive: 0, made: 0))

    init() { Self.count.withLock { $0 = ($0.alive + 1, $0.made + 1) } }
    deinit { Self.count.withLock { $0.alive -= 1 } }
  }

  /// A protocol that counts its instances. It references the other objects of a load, which reference it until the load
  /// ends.
  private final class Counted: WebPURLProtocol {
    let token = Token()
  }

  @Test func loadsAreReleased() async throws {
    let configuration = URLSessionConfiguration.patient
    configuration.avoidTrapOfCancelling()
    configuration.protocolClasses = [Counted.self]
    let session = URLSession(configuration: configuration)
    for query in [[:], ["status": "404"], ["cut": "300"], ["type": "text/html"], ["to": "/\(Fixtures.photo)"]] {
      _ = try? await session.data(from: Exchange(Fixtures.photo, query).url)
      _ = await URLSession.record(URLRequest(url: Exchange(Fixtures.photo, query).url), configuration)
    }
    for hold in ["-1", "0", "300"] {
      let exchange = Exchange(Fixtures.photo, ["hold": hold])
      let task = Task { try await session.data(from: exchange.url) }
      _ = try await exchange.wait { !$0.isEmpty }
      task.cancel()
      _ = try? await task.value
    }
    #expect(Token.count.withLock { $0.made } >= 13)
    try await waitUntil { Token.count.withLock { $0.alive } == 0 }
  }
}
