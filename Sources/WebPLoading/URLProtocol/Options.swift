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
  /// Put before a scheme, it claims the URL.
  static let schemePrefix = "stwebp-"

  func claims(_ request: URLRequest) -> Bool {
    guard let url = request.url else { return false }
    if url.withoutPrefix != nil { return true }
    guard url.isHTTP else { return false }
    // A HEAD has no picture, and with PUT and DELETE a WebP is meant as it is.
    guard ["GET", "POST"].contains(request.httpMethod?.uppercased() ?? "GET") else { return false }
    return claimsEveryURL || (claimsWebPPaths && url.hasWebPPath)
  }

  /// The request that goes to the server.
  func innerRequest(for request: URLRequest) -> URLRequest {
    var inner = request
    var wantsImage = true
    if let url = request.url?.withoutPrefix {
      inner.url = url
    } else {
      wantsImage = request.url?.hasWebPPath == true
    }
    let accept = request.value(forHTTPHeaderField: "Accept")
    if wantsImage, accept?.contains("image/webp") != true {
      inner.setValue("image/webp,image/*;q=0.8", forHTTPHeaderField: "Accept")
    } else if accept == nil {
      inner.setValue("image/webp,*/*;q=0.8", forHTTPHeaderField: "Accept")
    }
    return inner
  }

  /// The URL that a response should have, given the one it came from.
  func outerURL(_ url: URL?, for request: URLRequest) -> URL? {
    guard request.url?.withoutPrefix != nil else { return url }
    return url?.replacingScheme { Self.schemePrefix + $0 }
  }
}

extension URL {
  /// Nil unless its scheme is http or https behind the prefix. Looked at as text: what is no scheme, URLComponents traps on.
  fileprivate var withoutPrefix: URL? {
    let prefix = WebPURLProtocol.Options.schemePrefix
    guard ["http", "https"].contains(where: { scheme?.lowercased() == prefix + $0 }) else { return nil }
    return replacingScheme { String($0.dropFirst(prefix.count)) }
  }

  fileprivate func replacingScheme(_ replacement: (String) -> String) -> URL? {
    guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return nil }
    parts.scheme = parts.scheme.map { replacement($0.lowercased()) }
    return parts.url
  }
}
