extension WebPCompact.Limits {
  /// Checks the size of a file.
  ///
  /// - Parameters:
  ///   - count: the number of bytes that have arrived.
  ///   - more: the number of bytes that are about to be added.
  func checkSize(_ count: Int, adding more: Int = 0) throws(WebP.DecodeError) {
    try check(bytes: count, adding: more)
    guard count + more <= Self.largestFile else { throw WebP.DecodeError(.fileExceedsPlatform) }
  }

  /// The maximum size of a file, in bytes. It ensures that the offset of an error fits an `Int32`.
  private static let largestFile = 1 << 30

  /// Checks the number of pixels of a still image.
  ///
  /// - Returns: false if more bytes of the file may allow so many pixels.
  func allow(_ headers: ImageHeaderParser, byteCount: Int, isComplete: Bool) throws(WebP.DecodeError) -> Bool {
    let size = headers.stream?.size ?? (width: 0, height: 0)
    let area = size.width &* size.height  // both sides have at most 14 bits
    guard area <= maximumPixels else { throw WebP.DecodeError(.imageTooLarge, offset: headers.streamOffset) }
    if area <= pixels(ofBytes: byteCount) { return true }
    guard isComplete else { return false }
    throw WebP.DecodeError(.imageTooLargeForFile, offset: headers.streamOffset)
  }
}
