extension WebP.DecodeError {
  /// The kind of a problem, which determines how a program can react.
  public enum Kind: UInt8, Hashable, Sendable {
    /// The bytes are neither a WebP file nor a bare VP8 or VP8L bitstream.
    case notWebP
    /// The bytes end before the image does.
    case truncated
    /// The bytes violate the format.
    case corrupt
    /// The bytes may be valid, but the called function does not support what they contain.
    case unsupported
    /// The image exceeds the limits.
    case limitExceeded
    /// The options are not valid for the image, the caller's memory is too small, or the requested frame does not
    /// exist.
    case invalidOptions

    /// The VP8StatusCode that libwebp usually reports for this kind. An error for which libwebp reports another code is
    /// created with that code.
    var usualStatus: Int {
      switch self {
      case .notWebP, .corrupt: 3  // BITSTREAM_ERROR
      case .truncated: 7  // NOT_ENOUGH_DATA
      case .unsupported: 4  // UNSUPPORTED_FEATURE
      case .limitExceeded: 1  // OUT_OF_MEMORY
      case .invalidOptions: 2  // INVALID_PARAM
      }
    }
  }
}
