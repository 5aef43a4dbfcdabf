import Foundation
import PureWebP

/// Loads that would end as badly if they were tried again, by all that decides about them. Not thread-safe.
struct FailureStore<Key: Hashable> {
  private let maximumCount: Int
  private var errors: [Key: any Error] = [:]
  /// The keys, the one that failed longest ago first.
  private var order: [Key] = []

  init(maximumCount: Int) {
    self.maximumCount = maximumCount
  }

  subscript(key: Key) -> (any Error)? { errors[key] }

  /// - Parameter error: nil if the load came to a good end.
  mutating func store(_ error: (any Error)?, _ key: Key) {
    if errors.removeValue(forKey: key) != nil { order.removeAll { $0 == key } }
    guard let error, error.isForGood else { return }
    if order.count == maximumCount { errors[order.removeFirst()] = nil }
    errors[key] = error
    order.append(key)
  }

  mutating func removeAll(where isOutdated: (Key) -> Bool = { _ in true }) {
    errors = errors.filter { !isOutdated($0.key) }
    order.removeAll(where: isOutdated)
  }
}

extension Error {
  /// Whether another try would end the same way. A log-in, time or another network may help against everything else, and
  /// of a URL that nothing is loaded from this is quickly told again.
  fileprivate var isForGood: Bool {
    guard let error = self as? URLError else { return false }
    if (error.errorUserInfo[NSUnderlyingErrorKey] as? WebP.ConversionError)?.isOfThePicture == false { return false }
    switch error.code {
    case .cannotDecodeContentData, .dataLengthExceedsMaximum, .fileDoesNotExist: return true
    default: return false
    }
  }
}

extension URLError {
  /// For a response that has no picture. What is not found, or gone, is `fileDoesNotExist`.
  init(status: Int, url: URL?) {
    let code: URLError.Code =
      switch status {
      case 401, 407: .userAuthenticationRequired
      case 403: .noPermissionsToReadFile
      case 404, 410: .fileDoesNotExist
      default: .badServerResponse
      }
    var details: [String: Any] = [NSLocalizedDescriptionKey: "the server answered with status \(status)"]
    details[NSURLErrorFailingURLErrorKey] = url
    self.init(code, userInfo: details)
  }
}
