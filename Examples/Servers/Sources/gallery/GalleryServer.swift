import Foundation
import Hummingbird
import Logging

/// A server for a page and its images, which are sent as WebP or PNG by ``WebPNegotiation``.
nonisolated struct GalleryServer: Sendable {
  private let folder: URL

  init(_ folder: URL) {
    self.folder = folder
  }

  /// Runs until the task is canceled, or until SIGTERM or SIGINT: then the requests that have begun are answered.
  func run(port: Int, isRunning: @escaping @Sendable (_ port: Int) -> Void) async throws {
    var logger = Logger(label: "gallery")
    logger.logLevel = .critical
    let router = Router()
    router.add(middleware: WebPNegotiation())
    router.add(
      middleware: FileMiddleware(
        folder.path, urlBasePath: "/pictures", cacheControl: .init([(.imageWebp, [.maxAge(60)])]), logger: logger))
    router.get("/") { _, _ in try page() }
    router.get("/pictures.json") { _, _ in try names() }
    let application = Application(
      router: router, server: .http1(configuration: .init(idleTimeout: .seconds(15))),
      configuration: .init(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { channel in isRunning(channel.localAddress?.port ?? port) }, logger: logger)
    try await application.runService()
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".webp") }.sorted()
  }

  private func page() throws -> Response {
    let images = try names().map { name in
      let path = name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
      return "<figure><img src=\"pictures/\(escaped(path))\"><figcaption>\(escaped(name))</figcaption></figure>"
    }
    let html = "<!doctype html><title>Gallery</title><style>figure { display: inline-block }</style>" + images.joined()
    return Response(
      status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
      body: .init(byteBuffer: ByteBuffer(string: html)))
  }
}

/// Returns the text escaped for HTML.
nonisolated private func escaped(_ text: String) -> String {
  text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
}
