import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import PureWebP
import WebPExport
import WebPLoading

/// Answers `POST /thumbnail`, whose body is a WebP, and `GET /thumbnail?url=…` with an upright PNG of at most 256 × 256
/// pixels.
struct ThumbnailService: Sendable {
  static let limits = WebP.Limits(maximumPixels: 50_000_000, maximumBytes: 20 << 20)

  /// Decodes a thumbnail on one thread outside of the cooperative pool. Ends early if the task is cancelled.
  static func thumbnail(of webP: some Collection<UInt8>) async throws -> [UInt8] {
    let options = WebP.DecodeOptions(
      size: .fit(width: 256, height: 256), isUpright: true, threads: .one, limits: limits)
    let image = try await WebP.decodeInBackground(webP, options: options)
    let profile = WebP.metadata(webP, limits: limits).icc
    return try image.encoded(metadata: .init(icc: profile), png: .init(threads: .one))
  }

  /// A file that may be shared by several requests.
  typealias Bytes = any Collection<UInt8> & Sendable

  /// Converts the body of a request. Tests replace it.
  var convert: @Sendable (_ webP: Bytes) async throws -> [UInt8] = {
    try await ThumbnailService.thumbnail(of: $0)
  }
  /// Permits one conversion for each core at the same time. A waiting request needs memory only for its body.
  var slots = Slots(count: ProcessInfo.processInfo.activeProcessorCount)
  /// The time after which a connection is closed that has no request, or whose request does not continue.
  var idleTimeout = TimeAmount.seconds(15)
  /// Loads the images of `GET`.
  var images = RemoteImages(origins: [], limits: limits)

  func application(
    port: Int, logger: Logger, isRunning: @escaping @Sendable (_ port: Int) -> Void = { _ in }
  ) -> some ApplicationProtocol {
    let router = Router()
    router.get("/ping") { _, _ in "pong" }
    router.post("/thumbnail") { request, _ in
      // If the client disconnects, the task is cancelled.
      try await request.body.consumeWithCancellationOnInboundClose { body in
        try await answer { try await body.collect(upTo: Self.limits.maximumBytes).readableBytesView }
      }
    }
    router.get("/thumbnail") { request, _ in
      guard let url = request.uri.queryParameters["url"].flatMap({ URL(string: String($0)) }) else {
        throw HTTPError(.badRequest)
      }
      return try await request.body.consumeWithCancellationOnInboundClose { _ in
        try await answer { try await images.load(url) }
      }
    }
    return Application(
      router: router, server: .http1(configuration: .init(idleTimeout: idleTimeout)),
      configuration: .init(
        address: .hostname("127.0.0.1", port: port),
        // Each connection may need memory for a body of `maximumBytes`.
        availableConnectionsDelegate: MaximumAvailableConnections(256)),
      onServerRunning: { isRunning($0.localAddress?.port ?? port) }, logger: logger)
  }

  /// - Parameter load: returns the file. It is copied only while it is converted, not while it waits for a slot.
  private func answer(_ load: () async throws -> Bytes) async throws -> Response {
    do {
      let webP = try await load()
      let png = try await slots.run { try await convert(webP) }
      // Hummingbird stops reading the connection after this response.
      return Response(
        status: .ok, headers: [.contentType: "image/png", .connection: "close"],
        body: .init(byteBuffer: ByteBuffer(bytes: png)))
    } catch let error as any WebP.Failure {
      let status: HTTPResponse.Status =
        switch error.kind {
        case .notWebP, .unsupported, .truncated, .corrupt: .unprocessableContent
        case .limitExceeded: .contentTooLarge
        case .invalidOptions, .output: .internalServerError
        case .cancelled: .serviceUnavailable
        case .notFound: .notFound
        case .network, .unavailable:
          switch (error as? WebP.LoadError)?.underlyingError.code {
          case .noPermissionsToReadFile: .forbidden
          case .timedOut: .gatewayTimeout
          default: .badGateway
          }
        @unknown default: .internalServerError
        }
      throw HTTPError(status, headers: [.connection: "close"], message: "\(error)")
    }
  }
}
