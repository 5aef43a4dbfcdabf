import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// Indicates whether the request has the origin of `other`: the same scheme, host and port (RFC 6454, section 5).
  func hasOrigin(of other: URL?) -> Bool {
    guard let url, let other else { return false }
    func port(_ url: URL, _ scheme: String?) -> Int? { url.port ?? ["http": 80, "https": 443][scheme ?? ""] }
    let (scheme, otherScheme) = (url.scheme?.lowercased(), other.scheme?.lowercased())
    return scheme == otherScheme && url.host?.lowercased() == other.host?.lowercased()
      && port(url, scheme) == port(other, otherScheme)
  }
}
