import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a request says of caching (RFC 9111, section 5.2.1), as far as it is obeyed.
extension URLRequest {
  private var cacheControl: CacheControl { CacheControl(value(forHTTPHeaderField: "Cache-Control")) }

  var isGET: Bool { method == "GET" }
  /// Whether it changes nothing on the server (RFC 9110, section 9.2.1).
  private var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method) }
  private var method: String { (httpMethod ?? "GET").uppercased() }

  /// Whether it may have changed what is at its URL: unless it was safe, or in vain (RFC 9111, section 4.4).
  func mayHaveChangedURL(answered response: HTTPURLResponse) -> Bool { !isSafe && response.statusCode < 400 }

  /// Whether the response to it may be kept, and may answer it another time. A request that says itself what it has, or
  /// which part it wants, is answered by the server.
  var isCacheable: Bool {
    isGET && !cacheControl.forbidsStoring
      && ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "Range"].allSatisfy {
        value(forHTTPHeaderField: $0) == nil
      }
  }

  /// The request with the policy of its session's configuration, unless it has its own.
  func withPolicy(of configuration: URLSessionConfiguration) -> URLRequest {
    var request = self
    if cachePolicy == .useProtocolCachePolicy { request.cachePolicy = configuration.requestCachePolicy }
    return request
  }

  /// The request's `cachePolicy`; where that leaves it to the protocol, what `Cache-Control` says.
  var effectiveCachePolicy: CachePolicy {
    let asksServer = cacheControl.wantsRevalidation || cacheControl.maximumAge == 0
    return cachePolicy == .useProtocolCachePolicy && asksServer ? .reloadRevalidatingCacheData : cachePolicy
  }

  /// Whether a picture that was kept may answer it without the server being asked.
  var takesKept: Bool {
    switch effectiveCachePolicy {
    case .useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad: isCacheable
    default: false
    }
  }
}
