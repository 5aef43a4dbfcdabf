import Foundation
import PureWebP
import WebPExport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension WebP {
  /// The reason why a WebP could not be converted to a PNG.
  public enum ConversionError: Error, CustomStringConvertible {
    /// The WebP could not be decoded.
    case decoding(DecodeError)
    /// The PNG could not be written.
    case encoding(ExportError)

    /// One line, such as `truncated: image data is truncated (VP8 at byte 3210)`.
    public var description: String {
      switch self {
      case .decoding(let error): error.description
      case .encoding(let error): error.description
      }
    }
  }
}

extension WebP.ConversionError {
  /// Indicates whether the error is a property of the file on the server. A canceled conversion is not. Nor is a
  /// truncated WebP: if a response has no length, a lost connection looks like its end.
  var isOfThePicture: Bool {
    if case .decoding(let error) = self { error.kind != .truncated } else { false }
  }
}

extension URLError {
  /// Converts the error to `cannotDecodeContentData`, or to `dataLengthExceedsMaximum` if a limit is exceeded. The
  /// problem and its position are in the description and the underlying error.
  public init(_ error: WebP.ConversionError, url: URL?) {
    var code = URLError.cannotDecodeContentData
    if case .decoding(let error) = error, error.kind == .limitExceeded { code = .dataLengthExceedsMaximum }
    self.init(code, error.description, url: url, cause: error)
  }
}
