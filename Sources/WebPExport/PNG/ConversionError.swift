import PureWebP

extension WebP {
  /// The reason why a WebP could not be converted to a PNG.
  public enum ConversionError: Error, CustomStringConvertible {
    /// The WebP could not be decoded.
    case decoding(DecodeError)
    /// The PNG could not be written.
    case encoding(ExportError)

    /// The error in one line, such as `truncated: image data is truncated (VP8 at byte 3210)`.
    public var description: String {
      switch self {
      case .decoding(let error): error.description
      case .encoding(let error): error.description
      }
    }
  }
}
