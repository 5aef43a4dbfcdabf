import Foundation

/// What a `Cache-Control` says (RFC 9111, section 5.2), as far as a private cache has to know.
struct CacheControl: Hashable, Sendable {
  private let directives: [String: String]

  init(_ header: String?) {
    var directives: [String: String] = [:]
    for part in (header ?? "").split(separator: ",") {
      let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      guard let name = pair.first else { continue }
      directives[name.lowercased()] = pair.count > 1 ? pair[1].trimmingCharacters(in: ["\""]) : ""
    }
    self.directives = directives
  }

  var forbidsStoring: Bool { directives["no-store"] != nil }
  var wantsRevalidation: Bool { directives["no-cache"] != nil }
  var isPublic: Bool { directives["public"] != nil }
  /// In seconds.
  var maximumAge: TimeInterval? { directives["max-age"].flatMap { Int($0) }.map { TimeInterval(max(0, $0)) } }
}
