import Foundation

/// The directives of a `Cache-Control` header that a private cache obeys (RFC 9111, section 5.2).
struct CacheControl: Hashable, Sendable {
  private let directives: [String: String]

  init(_ header: String?) {
    var directives: [String: String] = [:]
    for part in (header ?? "").utf8.split(separator: .comma) {
      let pair = part.split(separator: .equals, maxSplits: 1).map {
        String(name: $0).trimmingCharacters(in: .whitespaces)
      }
      guard let name = pair.first else { continue }
      // If several directives have the same name, the first one applies (section 4.2.1).
      let value = pair.count > 1 ? pair[1].trimmingCharacters(in: ["\""]) : ""
      directives[name] = directives[name] ?? value
    }
    self.directives = directives
  }

  var forbidsStoring: Bool { directives["no-store"] != nil }
  var wantsRevalidation: Bool { directives["no-cache"] != nil }
  var isPublic: Bool { directives["public"] != nil }
  /// The maximum age, in seconds. Nil if there is no `max-age`; 0 if its value is invalid (section 4.2.1).
  var maximumAge: TimeInterval? { directives["max-age"].map { TimeInterval(deltaSeconds: $0) ?? 0 } }
}

extension TimeInterval {
  /// Parses a number of seconds, which must consist of digits. Numbers above 2³¹ become 2³¹ (RFC 9111, section 1.2.2).
  init?(deltaSeconds text: String) {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = TimeInterval(text) else { return nil }
    self = min(seconds, 0x1p31)
  }
}
