import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The caching rules of a request (RFC 9111, section 5.2.1).
extension URLRequest {
  private var cacheControl: CacheControl { CacheControl(value(forHTTPHeaderField: "Cache-Control")) }

  var isGET: Bool { method == "GET" }
  /// Indicates whether the method is safe (RFC 9110, section 9.2.1).
  private var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method) }
  private var method: String { (httpMethod ?? "GET").uppercased() }

  /// Indicates whether the request may have changed its URL: it was neither safe nor rejected (RFC 9111, section 4.4).
  func mayHaveChangedURL(answered response: HTTPURLResponse) -> Bool { !isSafe && response.statusCode < 400 }

  /// Indicates whether the response may be stored, and whether a stored one may answer the request. Conditional and range
  /// requests are left to the server.
  var isCacheable: Bool {
    isGET && !cacheControl.forbidsStoring
      && ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "Range"].allSatisfy {
        value(forHTTPHeaderField: $0) == nil
      }
  }

  /// The request, with the policy of its session's configuration if it has none.
  func withPolicy(of configuration: URLSessionConfiguration) -> URLRequest {
    var request = self
    if cachePolicy == .useProtocolCachePolicy { request.cachePolicy = configuration.requestCachePolicy }
    return request
  }

  /// The request's `cachePolicy`, or the one that its `Cache-Control` implies.
  var effectiveCachePolicy: CachePolicy {
    let asksServer = cacheControl.wantsRevalidation || cacheControl.maximumAge == 0
    return cachePolicy == .useProtocolCachePolicy && asksServer ? .reloadRevalidatingCacheData : cachePolicy
  }

  /// Indicates whether a stored image may answer the request without the server.
  var takesKept: Bool {
    switch effectiveCachePolicy {
    case .useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad: isCacheable
    default: false
    }
  }
}
