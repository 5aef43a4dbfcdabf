import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The options that need a session of their own, because they apply to all requests of a session.
struct SessionKey: Hashable {
  var handlesCookies = true
  var allowsInvalidCertificates = false
}

/// The properties of a request that determine which bytes it loads. Requests with equal keys share one download.
struct DownloadKey: Hashable {
  /// The URL that identifies the image: the result of the loader's `cacheKey` for the request's URL.
  let url: URL?
  let body: Data?
  /// A unique value for each request other than GET, so that such requests never share a download. Nil for GET.
  let call: UUID?
  let headers: [String: String]
  let session: SessionKey
  let maximumBytes: Int
  fileprivate(set) var policy: URLRequest.CachePolicy

  init(_ request: URLRequest, _ options: WebP.ImageLoader.Options, cacheKey: (URL) -> URL = { $0 }) {
    url = request.url.map(cacheKey)
    body = request.httpBody
    call = request.isGET ? nil : UUID()
    headers = request.allHTTPHeaderFields ?? [:]
    session = SessionKey(
      handlesCookies: options.handlesCookies, allowsInvalidCertificates: options.allowsInvalidCertificates)
    maximumBytes = options.decoding.limits.maximumBytes
    policy = request.cachePolicy
  }

  /// The approximate memory use of a stored image with this key, without its pixels and metadata, in bytes. According
  /// to a measurement, the fixed part is about two kilobytes.
  var memoryBytes: Int {
    2048 + (url?.absoluteString.utf8.count ?? 0) + (body?.count ?? 0) + headers.memoryBytes
  }
}

/// Identifies a decoded image. Several images can be decoded from one download.
struct ImageKey: Hashable {
  let download: DownloadKey
  let transform: String?
  /// Nil if only the file is requested.
  var decoding: WebP.DecodeOptions?

  init(_ download: DownloadKey, _ options: WebP.ImageLoader.Options, decodes: Bool = true) {
    var download = download
    // The cache policy is not part of the key, because decoded images do not depend on it.
    download.policy = .useProtocolCachePolicy
    self.download = download
    transform = decodes ? options.transform?.name : nil
    decoding = decodes ? options.decoding : nil
  }
}
