import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension HTTPURLResponse {
  /// Indicates whether the body is the complete file. If the status is 203, a proxy has changed it (RFC 9110, section
  /// 15.3.4).
  package var hasFile: Bool { statusCode == 200 || statusCode == 203 }

  /// Indicates whether the response has an image in another format than WebP.
  var isOtherImage: Bool {
    guard hasFile, let mediaType else { return false }
    return mediaType.hasPrefix("image/") && mediaType != "image/webp"
  }

  /// The `Content-Type` header in lower case, without parameters. `mimeType` is not used, because it contains a guess
  /// if there is no header.
  private var mediaType: String? {
    value(forHTTPHeaderField: "Content-Type")?.utf8.names(separatedBy: .semicolon).first
  }

  var headers: [String: String] {
    [String: String](allHeaderFields.map { ("\($0.key)", "\($0.value)") }) { first, _ in first }
  }

  /// Returns the response for a body that is passed on unchanged.
  ///
  /// - Parameter url: the URL of the response that the app receives.
  func passed(url: URL?) -> URLResponse {
    var headers = headers
    #if canImport(FoundationNetworking)
      // FoundationNetworking would answer the challenge itself, and traps if it cannot parse the header.
      headers = headers.filter { $0.key.lowercased() != "www-authenticate" }
      let isUnchanged = statusCode != 401 && url == self.url
    #else
      let isUnchanged = url == self.url
    #endif
    guard !isUnchanged, let url else { return self }
    return HTTPURLResponse(url: url, statusCode: statusCode, httpVersion: "HTTP/1.1", headerFields: headers) ?? self
  }

  /// Creates the response for a PNG from the headers of the response for its WebP.
  ///
  /// - Parameters:
  ///   - headers: the headers of the response for the WebP.
  ///   - url: the URL of the response that the app receives.
  ///   - length: the length of the PNG, in bytes. Nil if it is not known yet.
  convenience init?(png headers: [String: String], url: URL?, length: Int?) {
    guard let url else { return nil }
    // Headers that describe the bytes of the WebP.
    let outdated: Set = [
      "accept-ranges", "content-disposition", "content-encoding", "content-length", "content-md5", "content-type",
      "digest", "repr-digest", "content-digest", "transfer-encoding", "x-stwebp",
    ]
    var headers = headers.filter { !outdated.contains($0.key.lowercased()) }
    // A strong ETag becomes a weak one, because a strong ETag identifies the bytes of the WebP, and would permit range
    // requests for the PNG (RFC 9110, section 8.8.1).
    for (name, tag) in headers where name.lowercased() == "etag" && !tag.hasPrefix("W/") { headers[name] = "W/" + tag }
    headers["Content-Type"] = "image/png"
    headers["Content-Length"] = length.map(String.init)
    headers["X-STWebP"] = "YES"
    self.init(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: headers)
  }
}

extension HTTPURLResponse {
  /// Creates the response for a stored body that was not converted.
  ///
  /// - Parameters:
  ///   - headers: the headers of the server's response.
  ///   - url: the URL of the response that the app receives.
  ///   - length: the length of the body without `Content-Encoding`, in bytes.
  convenience init?(original headers: [String: String], url: URL?, length: Int) {
    guard let url else { return nil }
    let outdated: Set = ["content-encoding", "content-length", "transfer-encoding"]
    var headers = headers.filter { !outdated.contains($0.key.lowercased()) }
    headers["Content-Length"] = "\(length)"
    self.init(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: headers)
  }
}
