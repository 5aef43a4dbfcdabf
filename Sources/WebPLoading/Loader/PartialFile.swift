import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The beginning of a file whose download was canceled, and which a request for a range can continue (RFC 9110, section
/// 14).
struct PartialFile {
  let bytes: Data
  /// Indicates whether the beginning is meant for one user.
  let isPrivate: Bool
  private let response: HTTPURLResponse
  private let tag: String

  /// Returns nil if the server gave no strong validator, or if the position in the file is not known.
  ///
  /// - Parameters:
  ///   - bytes: the beginning of the body.
  ///   - response: a response with status 200.
  ///   - request: the request. If it was redirected, the validator applies to another URL.
  init?(_ bytes: Data, _ response: HTTPURLResponse, of request: URLRequest, isPrivate: Bool) {
    guard !bytes.isEmpty, request.isCacheable, response.url == request.url,
      response.value(forHTTPHeaderField: "Content-Encoding") == nil,
      response.value(forHTTPHeaderField: "Accept-Ranges")?.lowercased() != "none",
      let tag = response.value(forHTTPHeaderField: "ETag"), tag.hasPrefix("\"")
    else { return nil }
    self.bytes = bytes
    self.isPrivate = isPrivate
    self.response = response
    self.tag = tag
  }

  /// Returns the request for the remaining bytes. If the file has changed, the server sends the new one.
  func resume(_ request: URLRequest) -> URLRequest {
    var request = request
    request.setValue("bytes=\(bytes.count)-", forHTTPHeaderField: "Range")
    request.setValue(tag, forHTTPHeaderField: "If-Range")
    return request
  }

  /// Returns the response for the complete file, given the response for the remaining bytes (RFC 9111, section 3.4).
  /// Returns nil if the latter does not continue this file.
  func combined(with rest: HTTPURLResponse) -> HTTPURLResponse? {
    let range = rest.value(forHTTPHeaderField: "Content-Range")?.lowercased() ?? ""
    guard rest.statusCode == 206, range.hasPrefix("bytes \(bytes.count)-"), let url = rest.url, url == response.url,
      rest.value(forHTTPHeaderField: "ETag") == tag, rest.value(forHTTPHeaderField: "Content-Encoding") == nil
    else { return nil }
    var headers = response.storableHeaders.merging(rest.storableHeaders) { $1 }
    headers["content-range"] = nil
    headers["content-length"] = range.split(separator: "/").last.flatMap { Int($0) }.map(String.init)
    return HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: headers)
  }
}
