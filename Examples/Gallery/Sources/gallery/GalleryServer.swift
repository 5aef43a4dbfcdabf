import Foundation
import Hummingbird
import Logging
import PureWebP
import WebPLoading

/// A server that sends WebP to clients that accept it, and PNG to others. The PNG is converted while it is sent.
struct GalleryServer: Sendable {
  private let folder: URL

  init(_ folder: URL) {
    self.folder = folder
  }

  /// Runs until the task is cancelled.
  func run(port: Int, isRunning: @escaping @Sendable (_ port: Int) -> Void) async throws {
    let router = Router()
    router.get("/") { _, _ in try page() }
    router.get("/pictures.json") { _, _ in try names() }
    router.get("/pictures/:name") { request, context in
      // The router does not decode the name.
      try picture(context.parameters.require("name").removingPercentEncoding ?? "", for: request)
    }
    var logger = Logger(label: "gallery")
    logger.logLevel = .critical
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { channel in isRunning(channel.localAddress?.port ?? port) }, logger: logger)
    try await application.run()
  }

  private func picture(_ name: String, for request: Request) throws -> Response {
    guard try names().contains(name), let file = FileHandle(forReadingAtPath: folder.appendingPathComponent(name).path)
    else { throw HTTPError(.notFound) }
    let pieces = FilePieces(file: file)
    let isWebP = WebP.acceptsWebP(request.headers[.accept])
    let body = ResponseBody { writer in
      // The next part is read only after the client has received the previous one.
      if isWebP {
        for try await piece in pieces { try await writer.write(ByteBuffer(bytes: piece)) }
      } else {
        for try await piece in WebP.PNGSequence(pieces) { try await writer.write(ByteBuffer(bytes: piece)) }
      }
      try await writer.finish(nil)
    }
    return Response(
      status: .ok,
      headers: [.contentType: isWebP ? "image/webp" : "image/png", .vary: "Accept", .cacheControl: "max-age=60"],
      body: body)
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
private func escaped(_ text: String) -> String {
  text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
}

/// The contents of a file as a sequence of parts.
private struct FilePieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
  let file: FileHandle

  func makeAsyncIterator() -> FilePieces { self }

  func next() async throws -> Data? { try file.read(upToCount: 1 << 14) }
}
