import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// How long a response may be used without asking (RFC 9111, sections 4.2 and 5.2), as far as a private cache has to know.
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

extension HTTPURLResponse {
  /// The headers that may be kept (RFC 9111, section 3.1): none that speak of the connection, of which `Connection` may
  /// name more, and no cookies, which were meant for this answer alone.
  var storableHeaders: [String: String] {
    var dropped: Set = [
      "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "set-cookie", "set-cookie2",
    ]
    for name in (header("Connection") ?? "").split(separator: ",") {
      dropped.insert(name.trimmingCharacters(in: .whitespaces).lowercased())
    }
    return headers.filter {
      let name = $0.key.lowercased()
      return !dropped.contains(name) && !name.hasPrefix("proxy-")
    }
  }

  /// Until when this response is fresh, if it came at `now`.
  func freshUntil(_ now: Date) -> Date {
    let control = CacheControl(header("Cache-Control"))
    if control.wantsRevalidation { return now }
    let age = header("Age").flatMap { TimeInterval($0) } ?? 0
    let sent = header("Date").flatMap(Date.init(httpDate:)) ?? now
    if let maximumAge = control.maximumAge { return now + maximumAge - age }
    // An invalid Expires, 0 in particular, means that the response is stale (section 5.3).
    if let expires = header("Expires") {
      return Date(httpDate: expires).map { now + $0.timeIntervalSince(sent) - age } ?? now
    }
    guard let changed = header("Last-Modified").flatMap(Date.init(httpDate:)) else { return now }
    // A tenth of the time that it has not changed for, a day at the most (section 4.2.2).
    return now + min(86_400, max(0, sent.timeIntervalSince(changed)) / 10) - age
  }
}

extension Date {
  /// A date in the form that RFC 9110, section 5.6.7, prefers.
  init?(httpDate text: String) {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
    guard let date = formatter.date(from: text) else { return nil }
    self = date
  }
}
