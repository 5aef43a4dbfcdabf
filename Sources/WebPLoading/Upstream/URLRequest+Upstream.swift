import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// The request that is sent to the server. Its URL has no scheme prefix, and its `Accept` header names WebP.
  var serverRequest: URLRequest {
    var request = self
    let plain = url?.withoutPrefix
    request.url = plain ?? url
    let wantsImage = plain != nil || url?.hasWebPPath == true
    let accept = value(forHTTPHeaderField: "Accept")
    if wantsImage, accept?.contains("image/webp") != true {
      request.setValue("image/webp,image/*;q=0.8", forHTTPHeaderField: "Accept")
    } else if accept == nil {
      request.setValue("image/webp,*/*;q=0.8", forHTTPHeaderField: "Accept")
    }
    return request
  }

  /// The request that is sent to the server for an image. It asks for no compression, which would not make an image
  /// smaller, but would prevent resumption.
  package var serverRequestForImage: URLRequest {
    var request = serverRequest
    if value(forHTTPHeaderField: "Accept-Encoding") == nil {
      request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    }
    return request
  }
}

extension URLRequest {
  /// Reads the body into memory. On Apple's systems, a URL protocol receives every body as a stream. A stream is sent
  /// without its length, which some servers require. It cannot be sent again after a redirect or a challenge.
  mutating func readBody() throws(URLError) {
    guard httpBody == nil, let stream = httpBodyStream else { return }
    stream.open()
    defer { stream.close() }
    var body = Data()
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe stream.read(&piece, maxLength: piece.count)
      guard count >= 0 else { throw URLError(.requestBodyStreamExhausted, "the request body cannot be read") }
      if count == 0 { break }
      body += piece[..<count]
    }
    httpBody = body
  }
}

extension URL {
  /// The prefix of the schemes `stwebp-http` and `stwebp-https`. The URL protocol claims all URLs with these schemes.
  static let schemePrefix = "stwebp-"

  /// Returns the URL for the response to the app, given the URL of the server's response. It has the scheme prefix if
  /// the URL of the app's request has it.
  func withPrefix(of request: URLRequest) -> URL? {
    request.url?.withoutPrefix == nil ? self : replacingScheme { Self.schemePrefix + $0 }
  }

  /// The URL without the scheme prefix. Nil unless the scheme is the prefix and http or https. Other schemes must not
  /// reach `URLComponents`, which traps if a scheme is invalid.
  var withoutPrefix: URL? {
    guard ["http", "https"].contains(where: { scheme?.lowercased() == Self.schemePrefix + $0 }) else { return nil }
    return replacingScheme { String($0.dropFirst(Self.schemePrefix.count)) }
  }

  private func replacingScheme(_ replacement: (String) -> String) -> URL? {
    guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return nil }
    parts.scheme = parts.scheme.map { replacement($0.lowercased()) }
    return parts.url
  }
}

extension URLRequest {
  /// Indicates whether the request has the origin of `other`: the same scheme, host and port (RFC 6454, section 5).
  func hasOrigin(of other: URL?) -> Bool {
    guard let url, let other else { return false }
    func port(_ url: URL, _ scheme: String?) -> Int? { url.port ?? ["http": 80, "https": 443][scheme ?? ""] }
    let (scheme, otherScheme) = (url.scheme?.lowercased(), other.scheme?.lowercased())
    return scheme == otherScheme && url.host?.lowercased() == other.host?.lowercased()
      && port(url, scheme) == port(other, otherScheme)
  }
}

extension URL {
  /// Indicates whether the scheme is http or https.
  package var isHTTP: Bool { ["http", "https"].contains(scheme?.lowercased()) }

  /// Indicates whether the URL is a data URL (RFC 2397).
  package var isData: Bool { scheme?.lowercased() == "data" }

  var hasWebPPath: Bool { pathExtension.lowercased() == "webp" }
  var hasOtherImagePath: Bool { ["jpg", "jpeg", "png", "gif"].contains(pathExtension.lowercased()) }
}
