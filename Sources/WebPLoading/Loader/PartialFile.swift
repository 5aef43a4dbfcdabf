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
  ///   - response: a response that has the file.
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
    guard rest.statusCode == 206, let range = ContentRange(rest), range.start == bytes.count, let url = rest.url,
      url == response.url, rest.value(forHTTPHeaderField: "ETag") == tag,
      rest.value(forHTTPHeaderField: "Content-Encoding") == nil
    else { return nil }
    var headers = response.storableHeaders.merging(rest.storableHeaders) { $1 }
    headers["content-range"] = nil
    headers["content-length"] = range.fileLength.map(String.init)
    return HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: headers)
  }
}

/// The range of a file that a response with status 206 has (RFC 9110, section 14.4).
private struct ContentRange {
  let start: Int
  /// The length of the file, in bytes. Nil if the server does not specify it.
  let fileLength: Int?

  /// Returns nil if there is no valid range.
  init?(_ response: HTTPURLResponse) {
    let field = response.value(forHTTPHeaderField: "Content-Range")?.lowercased() ?? ""
    guard field.hasPrefix("bytes ") else { return nil }
    let parts = field.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map { StatedNumber($0)?.value }
    guard parts.count == 2, ends.count == 2, let start = ends[0], let last = ends[1], start <= last else { return nil }
    self.start = start
    fileLength = StatedNumber(parts[1])?.value
    guard fileLength.map({ last < $0 }) ?? (parts[1] == "*") else { return nil }
  }
}
