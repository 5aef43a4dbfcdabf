import Foundation
import PureWebP
import WebPExport

extension WebP {
  /// The reason why a file was not loaded or decoded.
  ///
  /// ```swift
  /// do {
  ///   show(try await loader.image(for: url))
  /// } catch let error as WebP.LoadError {
  ///   switch error.kind {
  ///   case .notFound: show("no such image")
  ///   case .unavailable: show("try again later")
  ///   default: show(error.description)
  ///   }
  /// }
  /// ```
  ///
  /// As `NSError`, it has the domain and the code of ``underlyingError``.
  public struct LoadError: Failure, CustomNSError, CustomStringConvertible {
    /// The kind of the problem. If the bytes arrived and could not be decoded, the kind of the decoder's error.
    ///
    /// If the status of the response is the problem, 404 and 410 are ``ErrorKind/notFound``. 408, 425, 429 and those
    /// from 500 are ``ErrorKind/unavailable``, and so are timeouts and failures of the connection. Other statuses, such
    /// as 204 and 403, are ``ErrorKind/network``.
    public let kind: ErrorKind
    /// The status of the response, if it is the problem. Otherwise nil.
    public let status: Int?
    /// The URL of the request or the file.
    public let url: URL?
    /// The error as Foundation's loading reports it. Its code distinguishes more cases than ``kind``.
    public let underlyingError: URLError

    /// - Parameter kind: nil: the kind that the error implies.
    package init(_ error: URLError, kind: ErrorKind? = nil, url: URL?) {
      self.kind = kind ?? error.kind
      self.url = url
      underlyingError = error
      status = nil
    }

    /// The error of a response whose status means that it has no image.
    init(status: Int, url: URL?) {
      let code: URLError.Code
      (code, kind) =
        switch status {
        case 401, 407: (.userAuthenticationRequired, .network)
        case 403: (.noPermissionsToReadFile, .network)
        case 404, 410: (.fileDoesNotExist, .notFound)
        case 408, 425, 429, 500...: (.badServerResponse, .unavailable)
        default: (.badServerResponse, .network)
        }
      self.status = status
      self.url = url
      underlyingError = URLError(code, "the server answered with status \(status)", url: url)
    }

    /// The format of an image that the loader cannot decode, such as `a JPEG image`. Nil for all other errors.
    ///
    /// The loader decodes WebP. On Apple's systems, it also decodes the formats that ImageIO supports. To decode other
    /// formats, use `ImageLoader.data(for:)`.
    public var unsupportedFormat: String? {
      (underlyingError.cause as? DecodeError)?.otherFormat
    }

    /// The problem, in English.
    public var description: String { underlyingError.localizedDescription }

    /// Indicates whether the failure is permanent, so that the same load would fail again. After other failures, the
    /// load may succeed later, with a login, or in another network.
    var isForGood: Bool {
      // If a response has no length, a lost connection looks like the end of the file.
      kind != .truncated
        && [.cannotDecodeContentData, .dataLengthExceedsMaximum, .fileDoesNotExist].contains(underlyingError.code)
    }
  }
}

extension WebP.LoadError {
  /// `NSURLErrorDomain`.
  public static var errorDomain: String { NSURLErrorDomain }
  /// The code of ``underlyingError``.
  public var errorCode: Int { underlyingError.errorCode }
  /// The details of ``underlyingError``, which is the underlying error.
  public var errorUserInfo: [String: Any] {
    underlyingError.errorUserInfo.merging([NSUnderlyingErrorKey: underlyingError]) { $1 }
  }
}

extension Error {
  /// The error that a load reports: a `LoadError` for a `URLError`. Other errors, such as a cancellation, stay.
  func ofLoad(from url: URL?) -> any Error {
    (self as? URLError).map { WebP.LoadError($0, url: url) } ?? self
  }
}

extension URLError {
  fileprivate var kind: WebP.ErrorKind {
    switch code {
    case .cannotDecodeContentData: (cause as? any WebP.Failure)?.kind ?? .corrupt
    case .dataLengthExceedsMaximum: .limitExceeded
    case .badURL, .unsupportedURL: .invalidOptions
    // The cause is the error of the file system.
    case .fileDoesNotExist: [nil, .ENOENT, .ENOTDIR].contains((cause as? POSIXError)?.code) ? .notFound : .network
    // FoundationNetworking reports a lost connection as `unknown`.
    case .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost, .dnsLookupFailed,
      .notConnectedToInternet, .unknown:
      .unavailable
    default: .network
    }
  }

  var cause: (any Error)? { errorUserInfo[NSUnderlyingErrorKey] as? any Error }
}

// The errors within a load, with texts for `localizedDescription`, which would otherwise contain only a number.

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
  init(_ code: Code, _ description: String, url: URL? = nil, cause: (any Error)? = nil) {
    var details: [String: Any] = [NSLocalizedDescriptionKey: description]
    details[NSURLErrorFailingURLErrorKey] = url
    details[NSUnderlyingErrorKey] = cause
    self.init(code, userInfo: details)
  }

  /// Creates the error of a file that cannot be decoded or converted. The underlying error states the problem and its
  /// position.
  init(_ error: WebP.ConversionError, url: URL?) {
    let code = error.kind == .limitExceeded ? Code.dataLengthExceedsMaximum : .cannotDecodeContentData
    var cause: any Error = error
    if case .decoding(let error) = error { cause = error }
    self.init(code, error.description, url: url, cause: cause)
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
