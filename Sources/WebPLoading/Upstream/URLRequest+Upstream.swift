import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// What the app's request becomes on its way to the server, and the server's URL on its way back.

extension URLRequest {
  /// The request that goes to the server: without the prefix of the scheme, and with an `Accept` that names WebP.
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
  /// Reads the body, as which a protocol gets a stream on Apple's systems, whatever the app has set. A stream goes out
  /// without its length, which some servers want, and not a second time after a redirect or a challenge.
  mutating func readBody() throws(URLError) {
    guard httpBody == nil, let stream = httpBodyStream else { return }
    stream.open()
    defer { stream.close() }
    var body = Data()
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe stream.read(&piece, maxLength: piece.count)
      guard count >= 0 else { throw URLError(.requestBodyStreamExhausted, "the request's body cannot be read") }
      if count == 0 { break }
      body += piece[..<count]
    }
    httpBody = body
  }
}

extension URL {
  /// Put before a scheme, it makes the protocol claim the URL.
  static let schemePrefix = "stwebp-"

  /// The URL that a response to `request` should have, where it came from this one.
  func outer(for request: URLRequest) -> URL? {
    request.url?.withoutPrefix == nil ? self : replacingScheme { Self.schemePrefix + $0 }
  }

  /// Nil unless its scheme is http or https behind the prefix. Looked at as text: what is no scheme, URLComponents traps on.
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
