import Foundation
import PureWebP
import WebPExport

extension Error {
  /// Indicates whether the failure is permanent, so that the same load would fail again. After other failures, the load
  /// may succeed later, with a login, or in another network.
  var isForGood: Bool {
    guard let error = self as? URLError else { return false }
    if (error.errorUserInfo[NSUnderlyingErrorKey] as? WebP.ConversionError)?.isCausedByImage == false { return false }
    return [.cannotDecodeContentData, .dataLengthExceedsMaximum, .fileDoesNotExist].contains(error.code)
  }
}

extension URLError {
  /// Indicates whether the same request may succeed after some time.
  var isTemporary: Bool {
    switch code {
    case .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost, .dnsLookupFailed,
      .notConnectedToInternet, .unknown:
      // FoundationNetworking reports a lost connection as `unknown`.
      true
    case .badServerResponse:
      // The status is missing if the error is not about a status.
      (errorUserInfo[Self.statusKey] as? Int).map { [408, 425, 429].contains($0) || $0 >= 500 } ?? false
    default: false
    }
  }

  fileprivate static let statusKey = "PureWebP.status"
}

// The errors of loads, with texts for `localizedDescription`, which would otherwise contain only a number.

extension URLError {
  static func longerThan(_ maximumBytes: Int) -> URLError {
    URLError(.dataLengthExceedsMaximum, "file exceeds limits.maximumBytes (\(maximumBytes))")
  }

  static func tooManyWaiting(_ maximumBytes: Int) -> URLError {
    URLError(.dataLengthExceedsMaximum, "more than maximumWaitingBytes (\(maximumBytes)) wait for the app")
  }

  static let otherThanHTTP = URLError(.unsupportedURL, "the URL is not an http or https URL")
  static let unsupportedScheme = URLError(.unsupportedURL, "the URL is not an http, https, file or data URL")

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: the code of the error.
  ///   - description: the problem, in English, without a full stop.
  ///   - url: the URL of the load.
  ///   - cause: the underlying error.
  ///   - status: the status of the response, if it is the problem.
  init(_ code: Code, _ description: String, url: URL? = nil, cause: (any Error)? = nil, status: Int? = nil) {
    var details: [String: Any] = [NSLocalizedDescriptionKey: description]
    details[NSURLErrorFailingURLErrorKey] = url
    details[NSUnderlyingErrorKey] = cause
    details[Self.statusKey] = status
    self.init(code, userInfo: details)
  }

  /// Creates the error of a response whose status means that it has no image. The status determines the code.
  init(status: Int, url: URL?) {
    let code: URLError.Code =
      switch status {
      case 401, 407: .userAuthenticationRequired
      case 403: .noPermissionsToReadFile
      case 404, 410: .fileDoesNotExist
      default: .badServerResponse
      }
    self.init(code, "the server answered with status \(status)", url: url, status: status)
  }

  /// Creates a URL error with the code `cannotDecodeContentData`, or `dataLengthExceedsMaximum` if a limit is exceeded.
  /// Its description and its underlying error state the problem and its position.
  public init(_ error: WebP.ConversionError, url: URL?) {
    var code = URLError.cannotDecodeContentData
    if case .decoding(let error) = error, error.kind == .limitExceeded { code = .dataLengthExceedsMaximum }
    self.init(code, error.description, url: url, cause: error)
  }
}

extension WebP.ConversionError {
  /// Indicates whether another load of the same file would fail too. This is not the case after a canceled conversion,
  /// and not for a truncated WebP. If a response has no length, a lost connection looks like the end of the file.
  package var isCausedByImage: Bool {
    if case .decoding(let error) = self { error.kind != .truncated } else { false }
  }
}

// The texts that `localizedDescription` returns, which would otherwise return the name of the type and a number.

extension WebP.DecodeError: LocalizedError {
  /// The problem and its position in the bytes, in English.
  public var errorDescription: String? { description }
}

extension WebP.ExportError: LocalizedError {
  /// The problem, in English.
  public var errorDescription: String? { description }
}

extension WebP.ConversionError: LocalizedError {
  /// The problem and its position in the bytes, in English.
  public var errorDescription: String? { description }
}

// The errors of loads, as programs distinguish them.

extension URLError: WebP.Failure {
  /// The kind of the underlying error, if the bytes arrived and could not be decoded. Otherwise the code determines the
  /// kind, which is `network` for most codes.
  public var kind: WebP.ErrorKind {
    if let failure = errorUserInfo[NSUnderlyingErrorKey] as? any WebP.Failure { return failure.kind }
    return switch code {
    case .cancelled: .cancelled
    case .dataLengthExceedsMaximum: .limitExceeded
    case .cannotDecodeContentData: .corrupt
    case .badURL, .unsupportedURL: .invalidOptions
    default: .network
    }
  }

  /// The problem, in English.
  public var description: String { localizedDescription }
}

extension POSIXError: WebP.Failure {
  /// `network`, because a file could not be read.
  public var kind: WebP.ErrorKind { .network }

  /// The problem, in English.
  public var description: String { localizedDescription }
}
