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
    func convert(_ bytes: ThumbnailService.Bytes, slots: Slots) async -> [UInt8] {
      running += 1
      maximum = max(maximum, running)
      while !hasBeenFull {
        hasBeenFull = await slots.waitingCount == 6
        await Task.yield()
      }
      running -= 1
      return [UInt8](bytes)
    }
  }

  @Test func disconnectingCancelsTheConversion() async throws {
    let (events, continuation) = AsyncStream<String>.makeStream()
    let convert: @Sendable (ThumbnailService.Bytes) async throws -> [UInt8] = { bytes in
      continuation.yield("started")
      do {
        try await Task.sleep(for: .seconds(3600))
      } catch {
        continuation.yield("cancelled")
        throw error
      }
      return [UInt8](bytes)
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

/// Proves that connections do not occupy the service, and that it ends in an orderly manner.
/// Expected values: the end of a connection, the answer to a request, and the exit status.
@Suite struct ThumbnailServiceLifeTests {
  /// A client that sends nothing, and one that sends a part of a request.
  @Test(arguments: ["", "POST /thumbnail HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345"])
  func idleConnectionsEnd(request: String) async throws {
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let service = ThumbnailService(idleTimeout: .milliseconds(20))
    try await Server.with { [logger] isRunning in
      try await service.application(port: 0, logger: logger, isRunning: isRunning).run()
    } operation: { server in
      let connection = try RawConnection(port: #require(server.url.port))
      try connection.send(Data(request.utf8))
      // Returns only after the service has closed the connection.
      let answer = try await connection.receive()
      #expect(answer.isEmpty || answer.starts(with: "HTTP/1.1 4".utf8))
    }
  }

  /// After SIGTERM, the service reads the remainder of a request that has begun, answers it, and ends with status 0.
  @Test func requestsThatHaveBegunAreAnswered() async throws {
    let service = try ServiceProcess()
    let photo = try Files.data("Benchmarks/Small/photo-q75.webp")
    let head = "POST /thumbnail HTTP/1.1\r\nHost: a\r\nContent-Length: \(photo.count)\r\n\r\n"
    let connections = try (0..<4).map { _ in try RawConnection(port: service.port) }
    for connection in connections { try connection.send(Data(head.utf8) + photo.prefix(photo.count / 2)) }
    // Connections are distributed over a thread for each core. The answers to later requests on each thread show that
    // the service has read the beginnings.
    for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount {
      let ping = try RawConnection(port: service.port)
      try ping.send(Data("GET /ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8))
      #expect(try await ping.receive().starts(with: "HTTP/1.1 200".utf8))
    }
    service.terminate()
    // The service accepts no more connections.
    while (try? RawConnection(port: service.port)) != nil { try await Task.sleep(for: .milliseconds(5)) }
    for connection in connections { try connection.send(photo.dropFirst(photo.count / 2)) }
    for connection in connections {
      #expect(try await connection.receive().starts(with: "HTTP/1.1 200".utf8))
    }
    #expect(await service.status() == 0)
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
