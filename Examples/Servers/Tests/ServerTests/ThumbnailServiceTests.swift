import Foundation
import Logging
import Testing

@testable import thumbnail_service

@Suite struct ThumbnailServiceTests {
  /// Runs a service while an operation sends requests to it.
  private func with(
    _ service: ThumbnailService = ThumbnailService(), _ operation: (Server) async throws -> Void
  ) async throws {
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    try await Server.with { [logger] isRunning in
      try await service.application(port: 0, logger: logger, isRunning: isRunning).run()
    } operation: {
      try await operation($0)
    }
  }

  /// The stored image has 67 × 45 pixels, and its orientation exchanges the sides.
  @Test func thumbnailsAreUprightAndKeepTheProfile() async throws {
    try await with { server in
      let webP = try Files.data("Tests/WebPLoadingTests/Fixtures/profile-and-orientation.webp")
      let answer = try await server.post(webP, to: "thumbnail")
      #expect(answer["Content-Type"] == "image/png")
      #expect(answer.pngSize == [45, 67])
      #expect(answer.body.range(of: Data("iCCP".utf8)) != nil)
    }
  }

  @Test(arguments: [("screenshot", [256, 192]), ("photo-q75", [256, 192]), ("icon-lossy", [64, 64])])
  func thumbnailsFit(name: String, size: [Int]) async throws {
    try await with { server in
      let answer = try await server.post(Files.data("Benchmarks/Small/\(name).webp"), to: "thumbnail")
      #expect(answer.pngSize == size)
    }
  }

  @Test func invalidAndTooLargeImagesAreRefused() async throws {
    try await with { server in
      #expect(try await server.post(Data("no image".utf8), to: "thumbnail").status == 422)
      let photo = try Files.data("Benchmarks/Small/photo-q75.webp")
      #expect(try await server.post(photo.prefix(photo.count / 2), to: "thumbnail").status == 422)
      // The headers of a VP8L image of 16384 × 16384 pixels.
      let header = [22, 0, 0, 0] + Array("WEBPVP8L".utf8) + [10, 0, 0, 0, 0x2F, 0xFF, 0xFF, 0xFF, 0x0F, 0, 0, 0, 0, 0]
      #expect(try await server.post(Data("RIFF".utf8 + header), to: "thumbnail").status == 413)
      #expect(try await server.post(Data(count: (20 << 20) + 1), to: "thumbnail").status == 413)
    }
  }

  @Test func conversionsAreBounded() async throws {
    let load = Load()
    let slots = Slots(count: 2)
    try await with(ThumbnailService(convert: { await load.convert($0, slots: slots) }, slots: slots)) { server in
      try await withThrowingTaskGroup(of: Answer.self) { group in
        for _ in 0..<8 { group.addTask { try await server.post(Data([1]), to: "thumbnail") } }
        for try await answer in group { #expect(answer.status == 200) }
      }
    }
    #expect(await load.maximum == 2)
  }

  /// Counts the conversions that run at the same time.
  private actor Load {
    private var running = 0
    private(set) var maximum = 0
    private var hasBeenFull = false

    /// The first conversions end only when all other requests wait, so that each of the eight requests has its chance
    /// to run at the same time.
    func convert(_ bytes: [UInt8], slots: Slots) async -> [UInt8] {
      running += 1
      maximum = max(maximum, running)
      while !hasBeenFull {
        hasBeenFull = await slots.waitingCount == 6
        await Task.yield()
      }
      running -= 1
      return bytes
    }
  }

  @Test func disconnectingCancelsTheConversion() async throws {
    let (events, continuation) = AsyncStream<String>.makeStream()
    let convert: @Sendable ([UInt8]) async throws -> [UInt8] = { bytes in
      continuation.yield("started")
      do {
        try await Task.sleep(for: .seconds(3600))
      } catch {
        continuation.yield("cancelled")
        throw error
      }
      return bytes
    }
    try await with(ThumbnailService(convert: convert)) { server in
      let request = Task { try await server.post(Data([1]), to: "thumbnail") }
      var iterator = events.makeAsyncIterator()
      #expect(await iterator.next() == "started")
      // A conversion does not delay other requests.
      let ping = try await server.get("ping")
      #expect(ping.body == Data("pong".utf8))
      request.cancel()
      #expect(await iterator.next() == "cancelled")
    }
  }
}

@Suite struct SlotsTests {
  @Test func waitingEndsWithTheTask() async throws {
    let slots = Slots(count: 1)
    try await slots.run {
      let waiting = Task { try await slots.run {} }
      while await slots.waitingCount == 0 { await Task.yield() }
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
    }
    // The slot is free again.
    try await slots.run {}
  }
}
