import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// The request to the server: without the prefix of the scheme, and with an `Accept` that names WebP.
  var inner: URLRequest {
    var inner = self
    var wantsImage = true
    if let url = url?.withoutPrefix {
      inner.url = url
    } else {
      wantsImage = url?.hasWebPPath == true
    }
    let accept = value(forHTTPHeaderField: "Accept")
    if wantsImage, accept?.contains("image/webp") != true {
      inner.setValue("image/webp,image/*;q=0.8", forHTTPHeaderField: "Accept")
    } else if accept == nil {
      inner.setValue("image/webp,*/*;q=0.8", forHTTPHeaderField: "Accept")
    }
    return inner
  }
}

extension URLRequest {
  /// Reads the body into memory. On Apple's systems a protocol receives every body as a stream. A stream is sent without its
  /// length, which some servers require, and cannot be sent again after a redirect or a challenge.
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
  /// The prefix of a scheme by which the protocol claims any URL.
  static let schemePrefix = "stwebp-"

  /// The URL of the app's response to `request`, given the URL of the server's response.
  func outer(for request: URLRequest) -> URL? {
    request.url?.withoutPrefix == nil ? self : replacingScheme { Self.schemePrefix + $0 }
  }

  /// The URL without the prefix. Nil unless the scheme is http or https after it. URLComponents traps on invalid schemes.
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
