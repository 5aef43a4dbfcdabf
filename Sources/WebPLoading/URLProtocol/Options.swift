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
    /// Indicates whether every `http` and `https` URL is claimed, for servers that answer other paths with `image/webp` too.
    public var claimsEveryURL: Bool
    /// The conversion from WebP to PNG and its limits.
    public var conversion: WebP.ConversionOptions
    /// Caches converted images. If nil, the `URLCache` of the session's configuration caches the WebP on Apple's systems,
    /// and each load converts it again. On Linux nothing is cached then.
    public var cache: WebP.ImageCache?
    /// Indicates whether `cache` also stores images of other types, unchanged, so that a web view loads them without network.
    ///
    /// `http` and `https` URLs whose path ends in `.jpg`, `.jpeg`, `.png` or `.gif` are claimed too. The rules of
    /// `WebP.ImageCache` apply. Images of more than `conversion.limits.maximumBytes` are passed on without being stored.
    public var cachesOtherImages: Bool

    /// Creates options.
    public init(
      claimsWebPPaths: Bool = true, claimsEveryURL: Bool = false, conversion: WebP.ConversionOptions = .init(),
      cache: WebP.ImageCache? = nil, cachesOtherImages: Bool = false
    ) {
      self.claimsWebPPaths = claimsWebPPaths
      self.claimsEveryURL = claimsEveryURL
      self.conversion = conversion
      self.cache = cache
      self.cachesOtherImages = cachesOtherImages
    }
  }
}

extension WebPURLProtocol.Options {
  func claims(_ request: URLRequest) -> Bool {
    guard let url = request.url else { return false }
    // No other protocol can load this scheme, so every method is claimed.
    if url.withoutPrefix != nil { return true }
    guard url.isHTTP else { return false }
    // HEAD has no body, and the other methods refer to the stored file.
    guard ["GET", "POST"].contains(request.httpMethod?.uppercased() ?? "GET") else { return false }
    return claimsEveryURL || (claimsWebPPaths && url.hasWebPPath)
      || (cachesOtherImages && cache != nil && url.hasOtherImagePath)
  }
}
