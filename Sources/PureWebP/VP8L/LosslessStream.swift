/// Where a stream lies in the input, and how its faults are told.
struct LosslessStream {
  /// Where the first bit is, behind the header.
  let start: Int
  /// Where the bytes end. Nil: at the end of the input.
  let end: Int?
  let isAlpha: Bool

  /// Where the bits end, for the bytes that there are.
  func endBit(byteCount: Int, isComplete: Bool) -> Int {
    // libwebp's reader starts with eight bytes, and takes those that a shorter stream lacks for zeros.
    let first = isAlpha ? start : start - LosslessHeader.byteCount
    return 8 * (isComplete ? max(byteCount, first + 8) : byteCount)
  }

  func truncated(at offset: Int, status: Int) -> WebP.DecodeError {
    WebP.DecodeError(
      isAlpha ? .truncatedAlpha : .truncatedImage, chunk: isAlpha ? .alph : .vp8L, offset: offset, status: status)
  }

  func corrupt(_ fault: LosslessFault, at bit: Int, status: Int) -> WebP.DecodeError {
    WebP.DecodeError(fault.cause, chunk: isAlpha ? .alph : .vp8L, offset: bit / 8, status: status)
  }
}
