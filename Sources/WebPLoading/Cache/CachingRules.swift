import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The caching rules of a request (RFC 9111, section 5.2.1).
extension URLRequest {
  private var cacheControl: CacheControl { CacheControl(value(forHTTPHeaderField: "Cache-Control")) }

  var isGET: Bool { method == "GET" }
  /// Indicates whether the method is safe (RFC 9110, section 9.2.1).
  private var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method) }
  /// The method in upper case.
  var method: String { (httpMethod ?? "GET").uppercased() }

  /// Returns whether the request may have changed the resource at its URL, because its method is not safe and the
  /// server did not reject it (RFC 9111, section 4.4).
  func mayHaveChangedURL(answered response: HTTPURLResponse) -> Bool { !isSafe && response.statusCode < 400 }

  /// Indicates whether an entry may answer the request, and whether its response may be stored. The cache does not
  /// handle requests that are conditional or for a range; the server answers them.
  var isCacheable: Bool {
    isGET && !cacheControl.forbidsStoring
      && ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "Range"].allSatisfy {
        value(forHTTPHeaderField: $0) == nil
      }
  }

  /// Returns the request with the cache policy of `configuration`, unless it has its own.
  func withPolicy(of configuration: URLSessionConfiguration) -> URLRequest {
    let policy = configuration.requestCachePolicy
    if policy == cachePolicy || cachePolicy != .useProtocolCachePolicy { return self }
    var request = self
    request.cachePolicy = policy
    return request
  }

  /// The request's `cachePolicy`. If it is the default, the policy that the request's `Cache-Control` implies.
  var effectiveCachePolicy: CachePolicy {
    let asksServer = cacheControl.wantsRevalidation || cacheControl.maximumAge == 0
    return cachePolicy == .useProtocolCachePolicy && asksServer ? .reloadRevalidatingCacheData : cachePolicy
  }

  /// Indicates whether a decoded image in memory may answer the request without asking the server.
  var acceptsDecoded: Bool {
    switch effectiveCachePolicy {
    case .useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad: isCacheable
    default: false
    }
  }
}

/// The caching rules of a response.
extension HTTPURLResponse {
  var cacheControl: CacheControl { CacheControl(value(forHTTPHeaderField: "Cache-Control")) }

  /// Indicates whether the response is meant for one user.
  var isPrivate: Bool { cacheControl.isPrivate || value(forHTTPHeaderField: "Set-Cookie") != nil }

  /// The headers that may be stored, by their lowercase names. Cookies are not stored. Neither are headers of the
  /// connection, including the headers that `Connection` names (RFC 9111, section 3.1).
  var storableHeaders: [String: String] {
    var dropped: Set = [
      "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "set-cookie", "set-cookie2",
    ]
    dropped.formUnion((value(forHTTPHeaderField: "Connection") ?? "").utf8.names(separatedBy: .comma))
    let named = headers.map { ($0.key.lowercased(), $0.value) }
    return [String: String](named) { first, _ in first }
      .filter { !dropped.contains($0.key) && !$0.key.hasPrefix("proxy-") }
  }

  /// Returns the time until which a response that arrived at `now` is fresh (RFC 9111, section 4.2).
  ///
  /// - Parameter defaultLifetime: the shortest time without explicit freshness, in seconds.
  func freshUntil(_ now: Date, defaultLifetime: TimeInterval = 0) -> Date {
    let control = cacheControl
    if control.wantsRevalidation { return now }
    let age = StatedNumber(firstOf: value(forHTTPHeaderField: "Age"))?.seconds ?? 0
    let sent = value(forHTTPHeaderField: "Date").flatMap(Date.init(httpDate:)) ?? now
    if let maximumAge = control.maximumAge { return now + maximumAge - age }
    // An invalid `Expires`, such as 0, means that the response is stale (section 5.3).
    if let expires = value(forHTTPHeaderField: "Expires") {
      return Date(httpDate: expires).map { now + $0.timeIntervalSince(sent) - age } ?? now
    }
    // Without explicit freshness, the response is fresh for a tenth of the time since the last change, but at most for
    // a day (section 4.2.2).
    let changed = value(forHTTPHeaderField: "Last-Modified").flatMap(Date.init(httpDate:)) ?? sent
    return now + max(defaultLifetime, min(86_400, max(0, sent.timeIntervalSince(changed)) / 10) - age)
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

/// The directives of a `Cache-Control` header that a private cache obeys (RFC 9111, section 5.2).
struct CacheControl: Hashable, Sendable {
  private let directives: [String: String]

  init(_ header: String?) {
    var directives: [String: String] = [:]
    for part in (header ?? "").utf8.split(separator: .comma) {
      let pair = part.names(separatedBy: .equals, maxSplits: 1)
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
  var isPrivate: Bool { directives["private"] != nil }
  /// The maximum age, in seconds. Nil if there is no `max-age`; 0 if its value is invalid (section 4.2.1).
  var maximumAge: TimeInterval? { directives["max-age"].map { StatedNumber($0)?.seconds ?? 0 } }
}

extension BidirectionalCollection<UInt8> {
  /// Splits a part of a header into names without surrounding white space, which can be compared (see
  /// `String.init(name:)`).
  func names(separatedBy separator: UInt8, maxSplits: Int = .max) -> [String] {
    split(separator: separator, maxSplits: maxSplits).map { part in
      let name = part.drop(while: \.isBlank)
      return String(name: name[..<(name.lastIndex { !$0.isBlank }.map(name.index(after:)) ?? name.startIndex)])
    }
  }
}

extension StatedNumber {
  /// The number of seconds. Numbers above 2³¹ become 2³¹ (RFC 9111, section 1.2.2).
  fileprivate var seconds: TimeInterval { min(TimeInterval(value), 0x1p31) }
}

/// The `Vary` header of a response: the request headers that the response depends on (RFC 9111, section 4.1).
struct VaryHeader {
  /// The request headers whose values are stored, by lowercase name. Other headers may contain secrets, or the session
  /// adds them later.
  private static let storedFields: Set = ["accept", "accept-encoding", "origin", "user-agent"]

  private let fields: [String]

  init(_ header: String?) {
    fields = (header ?? "").utf8.names(separatedBy: .comma)
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
