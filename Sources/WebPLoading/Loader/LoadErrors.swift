import Foundation
import PureWebP

extension Error {
  /// Indicates whether the load would fail again. A login, time or another network may help against other errors.
  var isForGood: Bool {
    guard let error = self as? URLError else { return false }
    if (error.errorUserInfo[NSUnderlyingErrorKey] as? WebP.ConversionError)?.isOfThePicture == false { return false }
    switch error.code {
    case .cannotDecodeContentData, .dataLengthExceedsMaximum, .fileDoesNotExist: return true
    default: return false
    }
  }
}

extension URLError {
  /// Indicates whether the same request may succeed after some time.
  var isTemporary: Bool {
    switch code {
    case .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost, .dnsLookupFailed,
      .notConnectedToInternet, .unknown:
      // FoundationNetworking reports a connection that was cut as unknown.
      true
    case .badServerResponse:
      // The status of a response, if there was one.
      (errorUserInfo[Self.statusKey] as? Int).map { [408, 425, 429].contains($0) || $0 >= 500 } ?? false
    default: false
    }
  }

  fileprivate static let statusKey = "PureWebP.status"
}

// Without these texts, the description of an error would be a number.

extension URLError {
  static func longerThan(_ maximumBytes: Int) -> URLError {
    URLError(.dataLengthExceedsMaximum, "file exceeds limits.maximumBytes (\(maximumBytes))")
  }

  static let otherThanHTTP = URLError(.unsupportedURL, "the URL is not an http or https URL")

  /// - Parameters:
  ///   - description: the fault, in English, without a full stop.
  ///   - url: the URL of the load.
  ///   - cause: the underlying error.
  init(_ code: Code, _ description: String, url: URL? = nil, cause: (any Error)? = nil) {
    var details: [String: Any] = [NSLocalizedDescriptionKey: description]
    details[NSURLErrorFailingURLErrorKey] = url
    details[NSUnderlyingErrorKey] = cause
    self.init(code, userInfo: details)
  }

  /// The error of a response without an image. Statuses 404 and 410 become `fileDoesNotExist`.
  init(status: Int, url: URL?) {
    let code: URLError.Code =
      switch status {
      case 401, 407: .userAuthenticationRequired
      case 403: .noPermissionsToReadFile
      case 404, 410: .fileDoesNotExist
      default: .badServerResponse
      }
    var error = URLError(code, "the server answered with status \(status)", url: url)
    error = URLError(code, userInfo: error.errorUserInfo.merging([Self.statusKey: status]) { $1 })
    self = error
  }
}
