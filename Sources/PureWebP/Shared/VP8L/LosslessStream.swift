/// The location of a VP8L stream in the input, and the errors that are reported for it.
struct LosslessStream {
  /// The offset of the first byte after the header.
  let start: Int
  /// The end of the bytes. Nil if they extend to the end of the input.
  let end: Int?
  let isAlpha: Bool

  /// libwebp's status for an error in the transforms or the prefix codes: OUT_OF_MEMORY if the decoder of alpha cannot
  /// be initialized, otherwise BITSTREAM_ERROR.
  var headerStatus: Int { isAlpha ? 1 : 3 }

  /// The end of the bits, given the number of available bytes.
  func endBit(byteCount: Int, isComplete: Bool) -> Int {
    // libwebp's reader always loads eight bytes first, and pads a shorter stream with zeros.
    let first = isAlpha ? start : start - LosslessHeader.byteCount
    return 8 * (isComplete ? max(byteCount, first + 8) : byteCount)
  }

  func truncated(at offset: Int, status: Int) -> WebP.DecodeError {
    WebP.DecodeError(
      isAlpha ? .truncatedAlpha : .truncatedImage, chunk: isAlpha ? .alph : .vp8L, offset: offset, status: status)
  }

  func corrupt(_ error: LosslessFormatError, at bit: Int, status: Int) -> WebP.DecodeError {
    WebP.DecodeError(error.cause, chunk: isAlpha ? .alph : .vp8L, offset: bit / 8, status: status)
  }
}
