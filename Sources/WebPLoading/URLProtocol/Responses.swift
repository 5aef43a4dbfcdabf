import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension HTTPURLResponse {
  /// Whether the body is worth a look: it is called a WebP, or nothing in particular.
  var mayBeWebP: Bool {
    guard statusCode == 200 else { return false }
    switch mediaType {
    case "image/webp", nil, "application/octet-stream", "binary/octet-stream": return true
    default: return false
    }
  }

  /// Of the header, in lower case and without parameters. `mimeType` guesses where there is no header.
  private var mediaType: String? {
    let header = value(forHTTPHeaderField: "Content-Type")
    return header?.utf8.split(separator: .semicolon).first.map {
      String(name: $0).trimmingCharacters(in: .whitespaces)
    }
  }

  var headers: [String: String] {
    [String: String](allHeaderFields.map { ("\($0.key)", "\($0.value)") }) { first, _ in first }
  }

  /// The response to a WebP, as one to its PNG.
  ///
  /// - Parameter length: of the PNG; nil if that is not known yet.
  func converted(url: URL?, length: Int?) -> URLResponse {
    HTTPURLResponse(png: headers, url: url ?? self.url, length: length) ?? self
  }

  /// A response that is left as it is, at the URL that the app knows.
  func passed(url: URL?) -> URLResponse {
    var headers = headers
    #if canImport(FoundationNetworking)
      // FoundationNetworking would answer the challenge itself, and traps on headers that it does not understand.
      headers = headers.filter { $0.key.lowercased() != "www-authenticate" }
      let isUnchanged = statusCode != 401 && url == self.url
    #else
      let isUnchanged = url == self.url
    #endif
    guard !isUnchanged, let url else { return self }
    return HTTPURLResponse(url: url, statusCode: statusCode, httpVersion: "HTTP/1.1", headerFields: headers) ?? self
  }

  /// A response with a PNG, given the headers of the one with the WebP.
  convenience init?(png headers: [String: String], url: URL?, length: Int?) {
    guard let url else { return nil }
    // These speak of the bytes that were sent.
    let outdated: Set = [
      "accept-ranges", "content-disposition", "content-encoding", "content-length", "content-md5", "content-type",
      "digest", "repr-digest", "content-digest", "transfer-encoding", "x-stwebp",
    ]
    var headers = headers.filter { !outdated.contains($0.key.lowercased()) }
    // A strong one would be of exactly the server's bytes: by it, the rest of a PNG could be asked for (RFC 9110, 8.8.1).
    for (name, tag) in headers where name.lowercased() == "etag" && !tag.hasPrefix("W/") { headers[name] = "W/" + tag }
    headers["Content-Type"] = "image/png"
    headers["Content-Length"] = length.map(String.init)
    headers["X-STWebP"] = "YES"
    self.init(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: headers)
  }
}

extension Data {
  static let webPSignatureLength = 12

  /// RIFF, four bytes of size, WEBP (RFC 9649, section 2.4).
  var hasWebPSignature: Bool {
    prefix(4).elementsEqual("RIFF".utf8) && dropFirst(8).prefix(4).elementsEqual("WEBP".utf8)
  }
}
