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
///     the app's session ──▶ WebPURLProtocol ──▶ ProtocolLoad ──▶ Upstream ──▶ WebP.Transport ──▶ the server
///               ▲                                  │    ▲
///               └────────── ProtocolClient ◀───────┘    └── ImageCache, if the options have one
///
/// On Linux, download and upload tasks fail with `URLError.unsupportedURL`, because FoundationNetworking gives
/// protocols neither the destination file of a download nor the body of an upload.
///
/// > Warning: On Linux, a server can end the process with certain responses, because of bugs in FoundationNetworking
/// > that affect every `URLSession`. See <doc:LoadingOnLinux>.
public class WebPURLProtocol: URLProtocol {
  /// The load. Non-nil between `startLoading` and `stopLoading`.
  private var load: ProtocolLoad?

  public override class func canInit(with request: URLRequest) -> Bool {
    guard URLProtocol.property(forKey: WebP.URLSessionTransport.mark, in: request) == nil,
      Registry.shared.isActive(self)
    else { return false }
    return Registry.shared.registration(of: self).options.claims(request)
  }

  public override class func canInit(with task: URLSessionTask) -> Bool {
    task.currentRequest.map { canInit(with: $0) } ?? false
  }

  public override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  public override func startLoading() {
    let client = ProtocolClient(for: self)
    #if canImport(FoundationNetworking)
      if task is URLSessionDownloadTask || task is URLSessionUploadTask {
        let reason = "WebP is converted for data tasks, not for downloads and uploads"
        client.fail(URLError(.unsupportedURL, reason, url: request.url))
        return
      }
    #endif
    let load = ProtocolLoad(request, Registry.shared.registration(of: Self.self), client: client)
    self.load = load
    load.start()
  }

  public override func stopLoading() {
    load?.stop()
    load = nil
  }
}

extension WebPURLProtocol {
  /// Specifies which requests the protocol claims, and how their responses are converted and cached.
  public struct Options: Hashable, Sendable {
    /// Indicates whether `http` and `https` URLs whose path ends in `.webp` are claimed.
    public var claimsWebPPaths: Bool
    /// Indicates whether every `http` and `https` URL is claimed. Some servers send WebP for paths without the
    /// extension.
    public var claimsEveryURL: Bool
    /// The options of the conversion from WebP to PNG, including its limits.
    public var conversion: WebP.ConversionOptions
    /// Stores converted images. If nil, the `URLCache` of the session's configuration stores WebP files on Apple's
    /// systems, and each load converts them again. On Linux, nothing is stored then.
    public var cache: WebP.ImageCache?
    /// The name of the partition of `cache` for private images. If nil, they are stored only in memory, and only this
    /// registration, scheme handler or bridge gets them.
    public var cachePartition: String?
    /// The partition of `cache` for other images, or nil for the one that all share.
    package var publicPartition: WebP.ImageCache.Partition?
    /// Indicates whether `cache` also stores images of other types, unchanged, so that a web view can show them
    /// offline.
    ///
    /// `http` and `https` URLs whose path ends in `.jpg`, `.jpeg`, `.png` or `.gif` are claimed too. The rules of
    /// `WebP.ImageCache` apply. Images of more than `conversion.limits.maximumBytes` are passed on without being
    /// stored.
    public var cachesOtherImages: Bool
    /// The maximum number of bytes of a response that wait in memory for the app. If more wait, the load fails with
    /// `URLError.dataLengthExceedsMaximum`.
    ///
    /// This bounds responses that are passed on unchanged. It matters on Linux, where completion handlers and async
    /// calls such as `data(from:)` receive a body in one call. For larger files, use a delegate or increase the
    /// maximum.
    public var maximumWaitingBytes: Int

    /// Creates options.
    public init(
      claimsWebPPaths: Bool = true, claimsEveryURL: Bool = false, conversion: WebP.ConversionOptions = .init(),
      cache: WebP.ImageCache? = nil, cachePartition: String? = nil, cachesOtherImages: Bool = false,
      maximumWaitingBytes: Int = 64 << 20
    ) {
      self.claimsWebPPaths = claimsWebPPaths
      self.claimsEveryURL = claimsEveryURL
      self.conversion = conversion
      self.cache = cache
      self.cachePartition = cachePartition
      self.cachesOtherImages = cachesOtherImages
      self.maximumWaitingBytes = maximumWaitingBytes
    }
  }
}

extension Upstream {
  /// Creates the upstream of a registration or a bridge.
  package convenience init(
    _ configuration: URLSessionConfiguration, _ options: WebPURLProtocol.Options, transport: (any WebP.Transport)?
  ) {
    self.init(
      configuration, transport: transport, keepsURLCache: options.cache == nil,
      partition: .init(options.cachePartition))
  }
}

extension WebPURLProtocol.Options {
  func claims(_ request: URLRequest) -> Bool {
    guard let url = request.url else { return false }
    // All methods are claimed, because no other protocol can load this scheme.
    if url.withoutPrefix != nil { return true }
    guard url.isHTTP else { return false }
    // A response to HEAD has no body. PUT, DELETE and others refer to the file on the server, not to its PNG.
    guard ["GET", "POST"].contains(request.httpMethod?.uppercased() ?? "GET") else { return false }
    return claimsEveryURL || (claimsWebPPaths && url.hasWebPPath)
      || (cachesOtherImages && cache != nil && url.hasOtherImagePath)
  }
}
