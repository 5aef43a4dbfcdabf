extension WebPCompact.Limits {
  /// - Parameters:
  ///   - count: the bytes of a file.
  ///   - more: bytes that are about to follow them.
  func checkSize(_ count: Int, adding more: Int = 0) throws(WebP.DecodeError) {
    try check(bytes: count, adding: more)
    guard count + more <= ImageHeaderParser.largestFile else { throw WebP.DecodeError(.fileExceedsPlatform) }
  }

  /// Checks the number of pixels of a still image.
  ///
  /// - Returns: false if more bytes of the file may allow so many pixels.
  func allow(_ headers: ImageHeaderParser, byteCount: Int, isComplete: Bool) throws(WebP.DecodeError) -> Bool {
    let area = headers.width &* headers.height  // each of 14 bits
    guard area <= maximumPixels else { throw WebP.DecodeError(.imageTooLarge, offset: headers.streamOffset) }
    if area <= pixels(ofBytes: byteCount) { return true }
    guard isComplete else { return false }
    throw WebP.DecodeError(.imageTooLargeForFile, offset: headers.streamOffset)
  }
}
