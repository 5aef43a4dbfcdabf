import Foundation
import PureWebP
import WebPExport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension WebP.ConversionError {
  /// Indicates whether another load of the same file would fail too. This is not the case after a canceled conversion,
  /// and not for a truncated WebP. If a response has no length, a lost connection looks like the end of the file.
  var isCausedByImage: Bool {
    if case .decoding(let error) = self { error.kind != .truncated } else { false }
  }
}

extension URLError {
  /// Creates a URL error with the code `cannotDecodeContentData`, or `dataLengthExceedsMaximum` if a limit is exceeded.
  /// Its description and its underlying error state the problem and its position.
  public init(_ error: WebP.ConversionError, url: URL?) {
    var code = URLError.cannotDecodeContentData
    if case .decoding(let error) = error, error.kind == .limitExceeded { code = .dataLengthExceedsMaximum }
    self.init(code, error.description, url: url, cause: error)
  }
}
