import Foundation
import Logging
import PureWebP
import Testing
import WebPLoading

@testable import thumbnail_service

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that the transport over AsyncHTTPClient, and a decorator around it, keep the contract of `WebP.Transport`.
/// Expected values: the rules of `TransportContract`.
@Suite struct AsyncHTTPClientTransportTests {
  @Test(arguments: TransportContract.rules.map(\.name), [false, true])
  func theContractIsKept(rule: String, isDecorated: Bool) async throws {
    let client = AsyncHTTPClientTransport()
    let transport: any WebP.Transport = isDecorated ? DecoratedTransport(client) : client
    try await TransportContract.check(rule, transport, RemoteServer.shared.get().url)
  }

  /// No request is lost: beside responses whose heads end at any byte, all other loads of the same loader succeed.
  @Test func cutHeadsStopNoOtherLoads() async throws {
    let server = try RemoteServer.shared.get()
    let (file, length) = (try Files.data("Benchmarks/Small/icon-lossy.webp"), 44)
    let loader = WebP.ImageLoader(
      configuration: .ephemeral, transport: AsyncHTTPClientTransport(), maximumLoads: 16, maximumLoadsPerHost: 16)
    let succeeded = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<length * 20 {
        let cut = number % 2 == 0 ? ["head": "\(number / 2 % length)"] : [:]
        let url = URL(string: server.image("icon-lossy.webp", cut.merging(["n": "\(number)"]) { $1 }))!
        group.addTask {
          let data = try? await loader.data(for: url)
          #expect(data == (cut.isEmpty ? file : nil), "\(url)")
          return data != nil
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(succeeded == length * 10)
  }
}

/// Proves that the service loads remote images only from permitted servers, and survives what they answer.
/// Expected values: the sizes of the images in Benchmarks/Small, and statuses of RFC 9110.
@Suite struct RemoteImageTests {
  /// Runs a service that may load from the server.
  private func withService(_ operation: (Server, RemoteServer) async throws -> Void) async throws {
    let remote = try RemoteServer.shared.get()
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let images = RemoteImages(origins: [remote.origin], limits: ThumbnailService.limits)
    try await Server.with { [logger] isRunning in
      try await ThumbnailService(images: images).application(port: 0, logger: logger, isRunning: isRunning).run()
    } operation: {
      try await operation($0, remote)
    }
  }

  @Test func remoteImagesBecomeThumbnails() async throws {
    try await withService { (server, remote) async throws in
      #expect(try await server.thumbnail(of: remote.image()).pngSize == [256, 192])
      let moved = remote.image("moved", ["to": "/photo-q75.webp"])
      #expect(try await server.thumbnail(of: moved).pngSize == [256, 192])
    }
  }

  @Test func otherServersAndFilesAreForbidden() async throws {
    try await withService { (server, remote) async throws in
      let file = Files.root.appendingPathComponent("Benchmarks/Small/photo-q75.webp").absoluteString
      let other = remote.image().replacingOccurrences(of: "127.0.0.1", with: "localhost")
      for image in [file, other, remote.image("moved", ["to": other]), "http://127.0.0.1:1/a.webp", "data:,a"] {
        #expect(try await server.thumbnail(of: image).status == 403, "\(image)")
      }
      #expect(try await server.get("thumbnail").status == 400)
    }
  }

  @Test func badAnswersAreErrors() async throws {
    try await withService { (server, remote) async throws in
      #expect(try await server.thumbnail(of: remote.image("missing.webp")).status == 404)
      #expect(try await server.thumbnail(of: remote.image("a.webp", ["text": "no image"])).status == 422)
      let endless = remote.image("photo-q75.webp", ["endless": "fast", "riff": "4000000000"])
      #expect(try await server.thumbnail(of: endless).status == 413)
    }
  }

  /// With FoundationNetworking, each of these servers ends the process.
  @Test func serversThatCloseInsideTheirHeadersEndNothing() async throws {
    try await withService { (server, remote) async throws in
      // The image is complete in spite of the length and of the trailer.
      let huge = ["unframed": "1", "header": "Content-Length:9223372036854775807"]
      for query in [huge, ["chunked": "1", "trailer": "X-A:b"]] {
        #expect(try await server.thumbnail(of: remote.image("icon-lossy.webp", query)).pngSize == [64, 64])
      }
      for length in 0..<44 {
        let image = remote.image("a.webp", ["text": "hello", "head": "\(length)"])
        #expect(try await server.thumbnail(of: image).status == 502)
      }
      #expect(try await server.thumbnail(of: remote.image()).pngSize == [256, 192])
    }
  }

  /// Otherwise, 200 clients that wait for one image of 20 MiB would need 4 GB.
  @Test func clientsShareTheMemoryOfAFile() async throws {
    let remote = try RemoteServer.shared.get()
    let images = RemoteImages(origins: [remote.origin], limits: ThumbnailService.limits)
    let id = UUID().uuidString
    let url = try #require(URL(string: remote.image("photo-q75.webp", ["hold": "1000", "id": id])))
    let files = try await withThrowingTaskGroup(of: Data.self) { group in
      for _ in 0..<200 { group.addTask { try await images.load(url) } }
      try await remote.waitForLog(of: id) { !$0.isEmpty }
      _ = try await URLSession.shared.data(from: #require(URL(string: "\(remote.url)/_go?id=\(id)")))
      return try await group.reduce(into: [Data]()) { $0.append($1) }
    }
    // A client that is late begins another load.
    var loads = 0
    try await remote.waitForLog(of: id) {
      loads = $0.count
      return true
    }
    let addresses = Set(files.map { $0.withUnsafeBytes { $0.baseAddress } })
    #expect(files.count == 200 && addresses.count == loads)
  }

  @Test func disconnectingCancelsTheLoad() async throws {
    try await withService { (server, remote) async throws in
      let id = UUID().uuidString
      let image = remote.image("photo-q75.webp", ["hold": "1000", "id": id])
      let request = Task { try await server.thumbnail(of: image) }
      try await remote.waitForLog(of: id) { !$0.isEmpty }
      request.cancel()
      try await remote.waitForLog(of: id) { $0[0].aborted }
    }
  }
}

extension Server {
  /// Requests the thumbnail of a remote image.
  fileprivate func thumbnail(of image: String) async throws -> Answer {
    var parts = URLComponents(url: url.appendingPathComponent("thumbnail"), resolvingAgainstBaseURL: false)!
    parts.queryItems = [URLQueryItem(name: "url", value: image)]
    return try await Answer(session.data(from: parts.url!))
  }
}
