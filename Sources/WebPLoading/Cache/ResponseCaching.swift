import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The caching rules of a response.
extension HTTPURLResponse {
  var cacheControl: CacheControl { CacheControl(value(forHTTPHeaderField: "Cache-Control")) }

  /// The headers that may be stored, by their lowercase names. Cookies are not stored. Neither are headers of the
  /// connection, including the headers that `Connection` names (RFC 9111, section 3.1).
  var storableHeaders: [String: String] {
    var dropped: Set = [
      "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "set-cookie", "set-cookie2",
    ]
    for name in (value(forHTTPHeaderField: "Connection") ?? "").utf8.split(separator: .comma) {
      dropped.insert(String(name: name).trimmingCharacters(in: .whitespaces))
    }
    let named = headers.map { ($0.key.lowercased(), $0.value) }
    return [String: String](named) { first, _ in first }
      .filter { !dropped.contains($0.key) && !$0.key.hasPrefix("proxy-") }
  }

  /// Returns the time until which a response that arrived at `now` is fresh (RFC 9111, section 4.2).
  func freshUntil(_ now: Date) -> Date {
    let control = cacheControl
    if control.wantsRevalidation { return now }
    let age = value(forHTTPHeaderField: "Age").flatMap(TimeInterval.init(deltaSeconds:)) ?? 0
    let sent = value(forHTTPHeaderField: "Date").flatMap(Date.init(httpDate:)) ?? now
    if let maximumAge = control.maximumAge { return now + maximumAge - age }
    // An invalid `Expires`, such as 0, means that the response is stale (section 5.3).
    if let expires = value(forHTTPHeaderField: "Expires") {
      return Date(httpDate: expires).map { now + $0.timeIntervalSince(sent) - age } ?? now
    }
    guard let changed = value(forHTTPHeaderField: "Last-Modified").flatMap(Date.init(httpDate:)) else { return now }
    // Without explicit freshness, the response is fresh for a tenth of the time since the last change, but at most for
    // a day (section 4.2.2).
    return now + min(86_400, max(0, sent.timeIntervalSince(changed)) / 10) - age
  }
}

extension Date {
  /// Parses a date in one of the three formats of RFC 9110, section 5.6.7.
  init?(httpDate text: String) {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    // A two-digit year is interpreted as a year that is at most fifty years in the past or future.
    formatter.twoDigitStartDate = formatter.calendar.date(byAdding: .year, value: -50, to: Date())
    for format in ["EEE, dd MMM yyyy HH:mm:ss zzz", "EEEE, dd-MMM-yy HH:mm:ss zzz", "EEE MMM d HH:mm:ss yyyy"] {
      formatter.dateFormat = format
      guard let date = formatter.date(from: text) else { continue }
      self = date
      return
    }
    return nil
  }
}
