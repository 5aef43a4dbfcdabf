import Foundation
import PureWebP
import WebPExport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension WebP {
  /// Why a WebP could not be made into a PNG.
  public enum ConversionError: Error, CustomStringConvertible {
    /// The WebP is at fault.
    case decoding(DecodeError)
    /// The PNG could not be written.
    case encoding(ExportError)

    /// One line, such as `truncated: the bytes end before the picture does (VP8 at byte 3210)`.
    public var description: String {
      switch self {
      case .decoding(let error): error.description
      case .encoding(let error): error.description
      }
    }
  }
}

extension WebP.ConversionError {
  /// Whether it says something of what the server has. A conversion that was cancelled does not, nor does a WebP that
  /// ended too early: where a response has no length, a connection that was cut looks like its end.
  var isOfThePicture: Bool {
    if case .decoding(let error) = self { error.kind != .truncated } else { false }
  }
}

extension URLError {
  /// The error as those have it who load from URLs: `cannotDecodeContentData`, or `dataLengthExceedsMaximum` where a
  /// limit is at fault. What was wrong, and where, is in the description and the underlying error.
  public init(_ error: WebP.ConversionError, url: URL?) {
    var code = URLError.cannotDecodeContentData
    if case .decoding(let error) = error, error.kind == .limitExceeded { code = .dataLengthExceedsMaximum }
    self.init(code, error.description, url: url, cause: error)
  }
}
