import AsyncAlgorithms
import Hummingbird
import PureWebP
import WebPLoading

/// A middleware that converts WebP responses to PNG for clients that do not accept WebP, or prefer PNG. It applies to
/// the handlers that are added after it.
///
/// ```swift
/// router.add(middleware: WebPNegotiation())
/// router.add(middleware: FileMiddleware("public"))
/// ```
///
/// | header of the response | if the client gets WebP | if the client gets PNG |
/// |---|---|---|
/// | `Vary` | `Accept` | `Accept` |
/// | `ETag` | the handler's | the handler's, with the suffix `-png` |
/// | `Accept-Ranges` | the handler's | `none`, because the PNG's bytes are not stored |
///
/// | header of the request for the handler | if the client gets WebP | if the client gets PNG |
/// |---|---|---|
/// | `If-None-Match` | tags of PNGs are removed | only tags of PNGs are kept, without the suffix |
/// | `Range`, `If-Range` | unchanged | removed |
///
/// The PNG is converted while it is sent. If a client reads slowly, the WebP is read slowly too. If the WebP is
/// corrupt, the connection is closed before the PNG is complete. Responses of other types are not changed. If the
/// handler answers with another type and the request was changed, the handler is called again with the original
/// request.
nonisolated struct WebPNegotiation<Context: RequestContext>: RouterMiddleware {
  var options = WebP.ConversionOptions()

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    guard request.method == .get || request.method == .head else { return try await next(request, context) }
    let sendsPNG = !WebP.acceptsWebP(request.headers[.accept])
    let inner = innerRequest(request, sendsPNG: sendsPNG)
    var response = try await next(inner, context)
    // If `sendsPNG` is true, the handler can answer 304 only because of a tag of a PNG. The PNG is then unchanged.
    let isUnchangedPNG = sendsPNG && response.status == .notModified
    guard isUnchangedPNG || response.headers[.contentType]?.hasPrefix("image/webp") == true else {
      return inner.headers == request.headers ? response : try await next(request, context)
    }
    response.headers.append(.init(name: .vary, value: "Accept"))
    guard sendsPNG, isUnchangedPNG || response.status == .ok else { return response }
    response.headers[.contentType] = "image/png"
    response.headers[.acceptRanges] = "none"
    response.headers[.eTag] = response.headers[.eTag].map(EntityTag.png)
    if request.method == .get && !isUnchangedPNG { response.body = png(of: response.body) }
    response.headers[.contentLength] = nil
    return response
  }

  /// Returns the request with the conditions that apply to the stored WebP.
  private func innerRequest(_ request: Request, sendsPNG: Bool) -> Request {
    var head = request.head
    let tags = EntityTag.list(request.headers)
    if sendsPNG {
      head.headerFields[values: .ifNoneMatch] = tags.compactMap(EntityTag.webP)
      head.headerFields[.range] = nil
      head.headerFields[.ifRange] = nil
    } else {
      head.headerFields[values: .ifNoneMatch] = tags.filter { EntityTag.webP($0) == nil }
    }
    // A date does not distinguish the two formats. Beside tags, it has no effect (RFC 9110, section 13.1.3), but it
    // would have one after all tags have been removed.
    if sendsPNG || !tags.isEmpty { head.headerFields[.ifModifiedSince] = nil }
    return Request(head: head, body: request.body)
  }

  private func png(of webP: ResponseBody) -> ResponseBody {
    ResponseBody { [options] writer in
      let parts = AsyncThrowingChannel<ByteBuffer, any Error>()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          do { try await webP.write(ChannelWriter(parts: parts)) } catch { parts.fail(error) }
        }
        for try await part in WebP.PNGSequence(parts.map(\.readableBytesView), options: options) {
          try await writer.write(ByteBuffer(bytes: part))
        }
        // The PNG is complete. The handler is canceled, because nothing receives the bytes that may follow the image.
        group.cancelAll()
      }
      try await writer.finish(nil)
    }
  }
}

/// Entity tags, such as `"abc"` and `W/"abc"` (RFC 9110, section 8.8.3).
nonisolated private enum EntityTag {
  private static let suffix = "-png\""

  static func list(_ headers: HTTPFields) -> [String] {
    headers[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }.map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// Returns the tag of the PNG, given the tag of the WebP from which it is converted.
  static func png(_ tag: String) -> String { tag.dropLast() + suffix }

  /// Returns the tag of the WebP from which a PNG was converted. Returns nil if the tag does not belong to a PNG.
  static func webP(_ tag: String) -> String? { tag.hasSuffix(suffix) ? tag.dropLast(suffix.count) + "\"" : nil }
}

/// Sends the parts of a response body to a channel. Each part is sent after the converter has received the previous
/// one.
nonisolated private struct ChannelWriter: ResponseBodyWriter {
  let parts: AsyncThrowingChannel<ByteBuffer, any Error>

  func write(_ buffer: ByteBuffer) async throws { await parts.send(buffer) }

  func finish(_ trailingHeaders: HTTPFields?) async throws { parts.finish() }
}
