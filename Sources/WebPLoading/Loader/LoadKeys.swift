import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Identifies the bytes that a request loads. Requests with equal keys share one download.
struct DownloadKey: Hashable {
  /// The URL that identifies the image: the loader's `cacheKey` of the request's URL.
  let url: URL?
  let body: Data?
  /// Unique for a request other than GET, because each such request is sent.
  let call: UUID?
  let headers: [String: String]
  let handlesCookies: Bool
  let allowsInvalidCertificates: Bool
  let maximumBytes: Int
  fileprivate(set) var policy: URLRequest.CachePolicy

  init(_ request: URLRequest, _ options: WebP.ImageLoader.Options, cacheKey: (URL) -> URL = { $0 }) {
    url = request.url.map(cacheKey)
    body = request.httpBody
    call = request.isGET ? nil : UUID()
    headers = request.allHTTPHeaderFields ?? [:]
    handlesCookies = options.handlesCookies
    allowsInvalidCertificates = options.allowsInvalidCertificates
    maximumBytes = options.decoding.limits.maximumBytes
    policy = request.cachePolicy
  }

  /// The approximate memory use, including two kilobytes that a small image was measured to take.
  var memoryBytes: Int {
    2048 + (url?.absoluteString.utf8.count ?? 0) + (body?.count ?? 0) + headers.memoryBytes
  }
}

/// Identifies a decoded image. Several images can be decoded from one download.
struct ImageKey: Hashable {
  let download: DownloadKey
  let transform: String?
  let decoding: WebP.DecodeOptions

  init(_ download: DownloadKey, _ options: WebP.ImageLoader.Options) {
    var download = download
    // A decoded image is the same, whichever policy it was loaded with.
    download.policy = .useProtocolCachePolicy
    self.download = download
    transform = options.transform?.name
    decoding = options.decoding
  }
}
