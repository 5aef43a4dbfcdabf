import Foundation
import PureWebP
import WebPExport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension WebPURLProtocol {
  /// What is loaded through the protocol, and how it is converted and kept.
  public struct Options: Hashable, Sendable {
    /// Whether `http` and `https` URLs whose path ends in `.webp` are claimed.
    public var claimsWebPPaths = true
    /// Whether every `http` and `https` URL is claimed, for servers that answer other paths with `image/webp` too.
    public var claimsEveryURL = false
    /// How WebP is made into PNG, and what is refused.
    public var conversion = WebP.ConversionOptions()
    /// Keeps what was converted. Nil: on Apple's systems the `URLCache` of the session's configuration keeps the WebP,
    /// which is converted again each time; on Linux nothing is kept.
    public var cache: WebP.ImageCache?

    public init() {}
  }
}

extension WebPURLProtocol.Options {
  func claims(_ request: URLRequest) -> Bool {
    guard let url = request.url else { return false }
    // Whatever the method: nobody else could load it.
    if url.withoutPrefix != nil { return true }
    guard url.isHTTP else { return false }
    // A HEAD has no picture, and with PUT and DELETE a WebP is meant as it is.
    guard ["GET", "POST"].contains(request.httpMethod?.uppercased() ?? "GET") else { return false }
    return claimsEveryURL || (claimsWebPPaths && url.hasWebPPath)
  }
}
