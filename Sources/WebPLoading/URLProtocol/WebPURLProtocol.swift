import Foundation
import PureWebP
import WebPExport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Lets URLSession load WebP where only PNG is supported: converts `image/webp` responses to `image/png`.
///
/// ```swift
/// let session = URLSession(configuration: .default.withWebP())
/// let (png, response) = try await session.data(from: url)
/// ```
///
/// The protocol claims GET and POST requests to `http` and `https` URLs whose path ends in `.webp`, and all requests to
/// `stwebp-http` and `stwebp-https` URLs, which it loads without the prefix. ``Options`` can change that. Requests are
/// sent unchanged except for their `Accept` header. If the status is 200 and the body begins with the WebP signature,
/// whatever its `Content-Type`, the response becomes a PNG or APNG with the header `X-STWebP: YES`. All other responses
/// are passed on unchanged. STWebPDecoder's `STWebPURLProtocol` uses the same prefix and the same header, so this class
/// can replace it.
///
/// A WebP ends at the position that its RIFF header specifies. Later bytes are not loaded.
///
/// A corrupt WebP fails the load with `URLError.cannotDecodeContentData`. A WebP that exceeds the limits fails it with
/// `URLError.dataLengthExceedsMaximum`.
///
///     the app's session ──▶ WebPURLProtocol ──▶ Load ──▶ UpstreamSession ──▶ the server
///            ▲                                  │   ▲
///            └────────── LoadClient ◀───────────┘   └── ImageCache, if there is one
///
/// On Linux, download tasks and uploads from memory or files fail with `URLError.unsupportedURL`, because
/// FoundationNetworking gives protocols neither the body nor the destination file.
///
/// > Warning: On Linux a server ends the process with the header `Content-Length: 9223372036854775807`. This is a fault of
/// > FoundationNetworking and concerns every URLSession. See <doc:WebPLoading>.
public class WebPURLProtocol: URLProtocol {
  /// Non-nil between `startLoading` and the end.
  private var load: Load?

  public override class func canInit(with request: URLRequest) -> Bool {
    guard URLProtocol.property(forKey: UpstreamSession.mark, in: request) == nil, Registry.shared.isActive(self)
    else { return false }
    return Registry.shared.registration(of: self).options.claims(request)
  }

  public override class func canInit(with task: URLSessionTask) -> Bool {
    task.currentRequest.map { canInit(with: $0) } ?? false
  }

  public override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  public override func startLoading() {
    let client = LoadClient(for: self)
    #if canImport(FoundationNetworking)
      if task is URLSessionDownloadTask || task is URLSessionUploadTask {
        let reason = "WebP is converted for data tasks, not for downloads and uploads"
        client.fail(URLError(.unsupportedURL, reason, url: request.url))
        return
      }
    #endif
    let load = Load(request, Registry.shared.registration(of: Self.self), client: client)
    self.load = load
    load.start()
  }

  public override func stopLoading() {
    load?.stop()
    load = nil
  }
}
