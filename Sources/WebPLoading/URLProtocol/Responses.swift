import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension HTTPURLResponse {
  /// Indicates whether the response has an image that browsers show without conversion.
  var isOtherImage: Bool {
    guard statusCode == 200, let mediaType else { return false }
    return mediaType.hasPrefix("image/") && mediaType != "image/webp"
  }

  /// The `Content-Type` header in lower case, without parameters. `mimeType` guesses if there is no header.
  private var mediaType: String? {
    let header = value(forHTTPHeaderField: "Content-Type")
    return header?.utf8.split(separator: .semicolon).first.map {
      String(name: $0).trimmingCharacters(in: .whitespaces)
    }
  }

  var headers: [String: String] {
    [String: String](allHeaderFields.map { ("\($0.key)", "\($0.value)") }) { first, _ in first }
  }

  /// Converts the response for a WebP to the response for its PNG.
  ///
  /// - Parameter length: the length of the PNG, in bytes. Nil if it is not known yet.
  func converted(url: URL?, length: Int?) -> URLResponse {
    HTTPURLResponse(png: headers, url: url ?? self.url, length: length) ?? self
  }

  /// The unchanged response, at the URL that the app knows.
  func passed(url: URL?) -> URLResponse {
    var headers = headers
    #if canImport(FoundationNetworking)
      // FoundationNetworking answers the challenge itself, and traps on headers that it cannot parse.
      headers = headers.filter { $0.key.lowercased() != "www-authenticate" }
      let isUnchanged = statusCode != 401 && url == self.url
    #else
      let isUnchanged = url == self.url
    #endif
    guard !isUnchanged, let url else { return self }
    return HTTPURLResponse(url: url, statusCode: statusCode, httpVersion: "HTTP/1.1", headerFields: headers) ?? self
  }

  /// Creates the response for a PNG from the headers of the response for its WebP.
  convenience init?(png headers: [String: String], url: URL?, length: Int?) {
    guard let url else { return nil }
    // These headers describe the bytes that the server sent.
    let outdated: Set = [
      "accept-ranges", "content-disposition", "content-encoding", "content-length", "content-md5", "content-type",
      "digest", "repr-digest", "content-digest", "transfer-encoding", "x-stwebp",
    ]
    var headers = headers.filter { !outdated.contains($0.key.lowercased()) }
    // A strong ETag identifies the server's bytes, and would permit range requests for a PNG (RFC 9110, section 8.8.1).
    for (name, tag) in headers where name.lowercased() == "etag" && !tag.hasPrefix("W/") { headers[name] = "W/" + tag }
    headers["Content-Type"] = "image/png"
    headers["Content-Length"] = length.map(String.init)
    headers["X-STWebP"] = "YES"
    self.init(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: headers)
  }
}

extension HTTPURLResponse {
  /// Creates the response for a stored body that is not converted.
  ///
  /// - Parameter length: the length of the body after decoding any `Content-Encoding`.
  convenience init?(original headers: [String: String], url: URL?, length: Int) {
    guard let url else { return nil }
    let outdated: Set = ["content-encoding", "content-length", "transfer-encoding"]
    var headers = headers.filter { !outdated.contains($0.key.lowercased()) }
    headers["Content-Length"] = "\(length)"
    self.init(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: headers)
  }
}
