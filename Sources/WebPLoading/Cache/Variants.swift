import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The headers of requests that a response depends on, as its `Vary` says (RFC 9111, section 4.1).
struct Variants {
  /// Those whose values may be kept. Others may be secrets, or are sent without the request having them.
  private static let kept: Set = ["accept", "accept-encoding", "origin", "user-agent"]

  private let fields: [String]

  init(vary: String?) {
    fields = (vary ?? "").utf8.split(separator: .comma).map { String(name: $0).trimmingCharacters(in: .whitespaces) }
  }

  /// Whether it can be told which requests the response answers.
  var areKnown: Bool { fields.allSatisfy { Self.kept.contains($0) } }

  /// Whether the response, of which that can be told, answers requests with the one's values as well as those with the
  /// other's.
  func areSame(_ one: [String: String], _ other: [String: String]) -> Bool {
    fields.allSatisfy { one[$0] == other[$0] }
  }

  /// What responses to the request may depend on.
  static func values(of request: URLRequest) -> [String: String] {
    var values: [String: String] = [:]
    for field in kept { values[field] = request.value(forHTTPHeaderField: field) }
    return values
  }
}
