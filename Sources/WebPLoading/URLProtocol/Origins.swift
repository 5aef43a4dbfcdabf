import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// Whether the request goes to the server that `other` is from: by the same scheme, host and port (RFC 6454, section
  /// 5). What is encrypted for one may not be for the other.
  func isMeantForOrigin(of other: URL?) -> Bool {
    guard let url, let other else { return false }
    func port(_ url: URL, _ scheme: String?) -> Int? { url.port ?? ["http": 80, "https": 443][scheme ?? ""] }
    let (scheme, otherScheme) = (url.scheme?.lowercased(), other.scheme?.lowercased())
    return scheme == otherScheme && url.host?.lowercased() == other.host?.lowercased()
      && port(url, scheme) == port(other, otherScheme)
  }
}
