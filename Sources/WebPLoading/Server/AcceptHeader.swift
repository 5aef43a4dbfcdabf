import PureWebP

extension WebP {
  /// Returns whether a server should send WebP instead of PNG to a client. The client's `Accept` header must name
  /// `image/webp`, with a quality that is above 0 and at least the quality of PNG.
  ///
  /// `image/*` and `*/*` do not suffice, because clients without WebP support send them. If the header does not name
  /// `image/png`, their quality applies to PNG. A response that depends on the result must have the header `Vary:
  /// Accept`.
  public static func acceptsWebP(_ accept: String?) -> Bool {
    let qualities = qualities(inAccept: accept ?? "")
    guard let webP = qualities["image/webp"], webP > 0 else { return false }
    return webP >= qualities["image/png"] ?? qualities["image/*"] ?? qualities["*/*"] ?? 0
  }

  /// Returns the quality of each media range in an `Accept` header, from 0 to 1 (RFC 9110, section 12.5.1).
  private static func qualities(inAccept header: String) -> [String: Double] {
    var qualities: [String: Double] = [:]
    for range in header.utf8.split(separator: .comma) {
      let parts = range.names(separatedBy: .semicolon)
      guard let type = parts.first, qualities[type] == nil else { continue }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
      qualities[type] = weight.map { Double(String($0.dropFirst(2))) ?? 0 } ?? 1
    }
    return qualities
  }
}
