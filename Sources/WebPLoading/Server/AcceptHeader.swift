import Foundation
import PureWebP

extension WebP {
  /// Returns whether a server should send WebP instead of PNG to a client. The client's `Accept` header must name
  /// `image/webp`, with a quality that is above 0 and at least the quality of PNG.
  ///
  /// `image/*` and `*/*` do not suffice, because clients without WebP support send them. If the header does not name
  /// `image/png`, their quality applies to PNG. A response that depends on the result must have the header `Vary:
  /// Accept`.
  public static func acceptsWebP(_ accept: String?) -> Bool {
    let header = AcceptHeader(accept ?? "")
    let webP = header.quality(ofFirst: "image/webp")
    return webP > 0 && webP >= header.quality(ofFirst: "image/png", "image/*", "*/*")
  }
}

/// The qualities in an `Accept` header (RFC 9110, section 12.5.1).
private struct AcceptHeader {
  private var qualities: [String: Double] = [:]

  init(_ text: String) {
    for range in text.utf8.split(separator: .comma) {
      let parts = range.split(separator: .semicolon).map { String(name: $0).trimmingCharacters(in: .whitespaces) }
      guard let type = parts.first, qualities[type] == nil else { continue }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
      qualities[type] = weight.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
    }
  }

  /// Returns the quality of the first element of `types` that the header names, from 0 to 1. Returns 0 if it names
  /// none.
  func quality(ofFirst types: String...) -> Double {
    types.lazy.compactMap { qualities[$0] }.first ?? 0
  }
}
