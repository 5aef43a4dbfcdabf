import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The `Vary` header of a response: the request headers that the response depends on (RFC 9111, section 4.1).
struct VaryHeader {
  /// The request headers whose values are stored, by lowercase name. Other headers may contain secrets, or the session
  /// adds them later.
  private static let storedFields: Set = ["accept", "accept-encoding", "origin", "user-agent"]

  private let fields: [String]

  init(_ header: String?) {
    fields = (header ?? "").utf8.split(separator: .comma).map { String(name: $0).trimmingCharacters(in: .whitespaces) }
  }

  /// Indicates whether the values of all named headers are stored. Otherwise, the cache cannot determine which requests
  /// the response may answer.
  var isSupported: Bool { fields.allSatisfy { Self.storedFields.contains($0) } }

  /// Returns whether a response to a request with the values `a` may also answer a request with the values `b`.
  func matches(_ a: [String: String], _ b: [String: String]) -> Bool {
    fields.allSatisfy { a[$0] == b[$0] }
  }

  /// Returns the values of a request's headers that responses may depend on.
  static func values(of request: URLRequest) -> [String: String] {
    var values: [String: String] = [:]
    for field in storedFields { values[field] = request.value(forHTTPHeaderField: field) }
    return values
  }
}
