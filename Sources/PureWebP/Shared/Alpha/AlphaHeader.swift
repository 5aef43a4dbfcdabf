/// The first byte of an alpha chunk (RFC 9649, section 2.7.1.2):
///
///     ├ compression, 2 bits ┬ filter, 2 ┬ pre-processing, 2 ┬ reserved, 2 ┤    lowest bits first
struct AlphaHeader {
  /// The prediction of a row: none, from the left, from above, or from both. The payload stores differences from it.
  enum Filter: UInt8 { case none, horizontal, vertical, gradient }

  /// If true, the payload is a VP8L stream without its header, and alpha is its green channel. Otherwise the payload
  /// has one byte per pixel.
  let isCompressed: Bool
  let filter: Filter
  /// Indicates that the encoder has reduced the number of alpha levels.
  let isReduced: Bool

  /// Checks the header.
  ///
  /// - Parameter payload: the range of the chunk's payload in `bytes`, which must be complete.
  init(_ bytes: Span<UInt8>, payload: Range<Int>) throws(WebP.DecodeError) {
    func invalid(_ cause: ErrorCause) -> WebP.DecodeError {
      WebP.DecodeError(cause, chunk: .alph, offset: payload.lowerBound, status: 1)
    }
    guard payload.count > 1 else { throw invalid(.emptyAlpha) }
    let header = bytes[payload.lowerBound]
    guard header & 3 <= 1 else { throw invalid(.invalidAlphaCompression) }
    guard header >> 4 & 3 <= 1 else { throw invalid(.invalidAlphaPreprocessing) }
    guard header >> 6 == 0 else { throw invalid(.reservedAlphaBits) }
    isCompressed = header & 3 == 1
    filter = Filter(rawValue: header >> 2 & 3) ?? .none
    isReduced = header >> 4 & 3 == 1
  }
}
