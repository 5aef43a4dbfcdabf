import Foundation
import PureWebP
import WebPExport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Lets URLSession load WebP where only PNG is understood: answers with `image/png` what servers have as `image/webp`.
///
/// ```swift
/// let session = URLSession(configuration: .default.withWebP())
/// let (png, response) = try await session.data(from: url)
/// ```
///
/// It claims GET and POST requests to `http` and `https` URLs whose path ends in `.webp`, and all requests to
/// `stwebp-http` and `stwebp-https` URLs, which it loads without the prefix; ``Options`` may say otherwise. The request
/// goes out as it is, but for its `Accept`. The response becomes a PNG, or an APNG, if its status is 200 and the body is
/// a WebP; `X-STWebP: YES` is among its headers then. Every other response arrives untouched.
///
/// A WebP that is damaged fails the load with `URLError.cannotDecodeContentData`.
///
/// What the parts do:
///
///     the app's session ──▶ WebPURLProtocol ──▶ Load ──▶ InnerSession ──▶ the server
///            ▲                                  │   ▲
///            └────────── LoadClient ◀───────────┘   └── ImageCache, if there is one
///
/// On Linux, download tasks and uploads from memory or files are failed with `URLError.unsupportedURL`, since
/// FoundationNetworking hands neither the body nor the place for the file to a protocol.
public class WebPURLProtocol: URLProtocol {
  /// Non-nil between `startLoading` and the end.
  private var load: Load?

  public override class func canInit(with request: URLRequest) -> Bool {
    guard URLProtocol.property(forKey: InnerSession.mark, in: request) == nil else { return false }
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
