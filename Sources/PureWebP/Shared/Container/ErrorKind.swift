/// The kinds of error that a program distinguishes.
enum ErrorKind: UInt8 {
  case notWebP, truncated, corrupt, unsupported, limitExceeded, invalidOptions

  /// libwebp's usual VP8StatusCode for errors of this kind.
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
