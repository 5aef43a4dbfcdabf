import Foundation
import PureWebP
import WebPExport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A URL protocol that converts WebP responses to PNG, for apps on systems without WebP support.
///
/// ```swift
/// let session = URLSession(configuration: .default.withWebP())
/// let (png, response) = try await session.data(from: url)
/// ```
///
/// The protocol claims GET and POST requests to `http` and `https` URLs whose path ends in `.webp`. It also claims all
/// requests to `stwebp-http` and `stwebp-https` URLs, and loads them without the prefix `stwebp-`. ``Options`` can
/// extend or restrict this. Requests are sent unchanged except for their `Accept` header.
///
/// If the status is 200 and the body begins with the WebP signature, the response becomes a PNG or APNG with the header
/// `X-STWebP: YES`. The `Content-Type` does not matter. All other responses are passed on unchanged. The protocol
/// `STWebPURLProtocol` of the library STWebPDecoder uses the same prefix and header, so this class can replace it.
///
/// A WebP ends at the position that its RIFF header specifies. Later bytes are not loaded.
///
/// If a WebP is corrupt, the load fails with `URLError.cannotDecodeContentData`. If it exceeds the limits, the load
/// fails with `URLError.dataLengthExceedsMaximum`.
///
///     the app's session ──▶ WebPURLProtocol ──▶ Load ──▶ UpstreamSession ──▶ the server
///            ▲                                  │   ▲
///            └────────── LoadClient ◀───────────┘   └── ImageCache, if the options have one
///
/// On Linux, download and upload tasks fail with `URLError.unsupportedURL`, because FoundationNetworking gives
/// protocols neither the destination file of a download nor the body of an upload.
///
/// > Warning: On Linux, a server can end the process with certain responses, because of bugs in FoundationNetworking
/// > that affect every `URLSession`. See <doc:LoadingOnLinux>.
public class WebPURLProtocol: URLProtocol {
  /// The load. Non-nil between `startLoading` and `stopLoading`.
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
