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

  /// Returns whether the request may have changed the resource at its URL, because its method is not safe and the
  /// server did not reject it (RFC 9111, section 4.4).
  func mayHaveChangedURL(answered response: HTTPURLResponse) -> Bool { !isSafe && response.statusCode < 400 }

  /// Indicates whether an entry may answer the request, and whether its response may be stored. The cache does not
  /// handle requests that are conditional or for a range; the server answers them.
  var isCacheable: Bool {
    isGET && !cacheControl.forbidsStoring
      && ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "Range"].allSatisfy {
        value(forHTTPHeaderField: $0) == nil
      }
  }

  /// Returns the request with the cache policy of `configuration`, unless it has its own.
  func withPolicy(of configuration: URLSessionConfiguration) -> URLRequest {
    var request = self
    if cachePolicy == .useProtocolCachePolicy { request.cachePolicy = configuration.requestCachePolicy }
    return request
  }

  /// The request's `cachePolicy`. If it is the default, the policy that the request's `Cache-Control` implies.
  var effectiveCachePolicy: CachePolicy {
    let asksServer = cacheControl.wantsRevalidation || cacheControl.maximumAge == 0
    return cachePolicy == .useProtocolCachePolicy && asksServer ? .reloadRevalidatingCacheData : cachePolicy
  }

  /// Indicates whether a decoded image in memory may answer the request without asking the server.
  var takesKept: Bool {
    switch effectiveCachePolicy {
    case .useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad: isCacheable
    default: false
    }
  }
}
