import PureWebP

/// Parses the headers of a WebP while its bytes arrive.
///
/// Each attempt starts at the first byte and iterates over all chunks. To bound the total time, the next attempt is
/// made only after the number of bytes has grown by an eighth. All attempts together then read at most nine times the
/// bytes of the input, regardless of how it is divided.
package struct HeaderReading {
  /// The number of bytes at which the next attempt is made. The first 12 bytes identify any format that an error can
  /// name.
  private var nextAttempt = 12

  package init() {}

  /// Returns the properties of the file, or nil if its headers are not available yet. The bitstream's header must be
  /// available too, because no other header reliably indicates whether the image has alpha.
  ///
  /// - Parameters:
  ///   - bytes: all bytes so far.
  ///   - isComplete: whether no bytes follow.
  package mutating func info(
    _ bytes: some Collection<UInt8>, isComplete: Bool
  ) throws(WebP.DecodeError) -> WebP.ImageInfo? {
    guard isComplete || isDue(at: bytes.count) else { return nil }
    do {
      let info = try WebP.info(bytes)
      return info.compression == .unspecified && !info.isAnimated && !isComplete ? nil : info
    } catch {
      if error.kind == .truncated, !isComplete { return nil }
      throw error
    }
  }

  /// Returns whether to make an attempt with this number of bytes. If the result is true, the caller must make it.
  package mutating func isDue(at count: Int) -> Bool {
    guard count >= nextAttempt else { return false }
    nextAttempt = count + count / 8 + 1
    return true
  }
}
