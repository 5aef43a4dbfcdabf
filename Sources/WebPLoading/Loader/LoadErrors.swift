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

  /// - Parameter description: what is wrong, in English, without a full stop.
  init(_ code: Code, _ description: String) {
    self.init(code, userInfo: [NSLocalizedDescriptionKey: description])
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
    var details: [String: Any] = [NSLocalizedDescriptionKey: "the server answered with status \(status)"]
    details[NSURLErrorFailingURLErrorKey] = url
    self.init(code, userInfo: details)
  }
}
