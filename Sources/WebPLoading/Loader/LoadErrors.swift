import Foundation
import PureWebP

extension Error {
  /// Whether another try would end the same way. A log-in, time or another network may help against everything else, and
  /// of a URL that nothing is loaded from this is quickly told again.
  var isForGood: Bool {
    guard let error = self as? URLError else { return false }
    if (error.errorUserInfo[NSUnderlyingErrorKey] as? WebP.ConversionError)?.isOfThePicture == false { return false }
    switch error.code {
    case .cannotDecodeContentData, .dataLengthExceedsMaximum, .fileDoesNotExist: return true
    default: return false
    }
  }
}

// In words: without them, an error's description would be a number.

extension URLError {
  static func longerThan(_ maximumBytes: Int) -> URLError {
    URLError(.dataLengthExceedsMaximum, "it is longer than \(maximumBytes) bytes")
  }

  static let otherThanHTTP = URLError(.unsupportedURL, "it is not loaded by http or https")

  /// - Parameters:
  ///   - description: what is wrong, in English, without a full stop.
  ///   - url: what was to be loaded.
  ///   - cause: the error that this one tells of.
  init(_ code: Code, _ description: String, url: URL? = nil, cause: (any Error)? = nil) {
    var details: [String: Any] = [NSLocalizedDescriptionKey: description]
    details[NSURLErrorFailingURLErrorKey] = url
    details[NSUnderlyingErrorKey] = cause
    self.init(code, userInfo: details)
  }

  /// For a response that has no picture. What is not found, or gone, is `fileDoesNotExist`.
  init(status: Int, url: URL?) {
    let code: URLError.Code =
      switch status {
      case 401, 407: .userAuthenticationRequired
      case 403: .noPermissionsToReadFile
      case 404, 410: .fileDoesNotExist
      default: .badServerResponse
      }
    self.init(code, "the server answered with status \(status)", url: url)
  }
}
