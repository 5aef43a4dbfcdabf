import Foundation
import PureWebP
import WebPExport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

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
    /// Indicates whether `cache` also stores images of other types, unchanged, so that a web view can show them
    /// offline.
    ///
    /// `http` and `https` URLs whose path ends in `.jpg`, `.jpeg`, `.png` or `.gif` are claimed too. The rules of
    /// `WebP.ImageCache` apply. Images of more than `conversion.limits.maximumBytes` are passed on without being
    /// stored.
    public var cachesOtherImages: Bool
    /// The maximum number of bytes of a response that wait in memory for the app. If more wait, the load fails with
    /// `URLError.dataLengthExceedsMaximum`. If nil, the maximum is `conversion.limits.maximumBytes`, but at least
    /// 64 MiB.
    ///
    /// This bounds responses that are passed on unchanged. It matters on Linux, where completion handlers and async
    /// calls receive a body in one call.
    public var maximumWaitingBytes: Int?

    /// Creates options.
    public init(
      claimsWebPPaths: Bool = true, claimsEveryURL: Bool = false, conversion: WebP.ConversionOptions = .init(),
      cache: WebP.ImageCache? = nil, cachesOtherImages: Bool = false, maximumWaitingBytes: Int? = nil
    ) {
      self.claimsWebPPaths = claimsWebPPaths
      self.claimsEveryURL = claimsEveryURL
      self.conversion = conversion
      self.cache = cache
      self.cachesOtherImages = cachesOtherImages
      self.maximumWaitingBytes = maximumWaitingBytes
    }

    var waitingBytes: Int { maximumWaitingBytes ?? max(64 << 20, conversion.limits.maximumBytes) }
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
