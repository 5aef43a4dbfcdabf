import Foundation
import PureWebP

/// Parses the headers of a WebP while its bytes arrive.
///
/// Each attempt iterates over all chunks so far. Therefore another attempt is made only after an eighth more bytes have
/// arrived. All attempts together read at most nine times the bytes, however the input is divided.
struct HeaderReading {
  private var nextAttempt = 0

  /// Returns the properties of the file. Nil until its headers, including the bitstream's own header, are available.
  /// Only that header reliably indicates alpha.
  ///
  /// - Parameter bytes: all bytes so far.
  mutating func info(_ bytes: Data, isComplete: Bool) throws(WebP.DecodeError) -> WebP.ImageInfo? {
    guard isComplete || isDue(at: bytes.count) else { return nil }
    let info: WebP.ImageInfo
    do {
      info = try WebP.info(bytes)
    } catch {
      if error.kind == .truncated, !isComplete { return nil }
      throw error
    }
    return info.compression == .unspecified && !info.isAnimated && !isComplete ? nil : info
  }

  /// Returns whether another attempt is worthwhile for this number of bytes. If so, the caller must make it.
  mutating func isDue(at count: Int) -> Bool {
    guard count >= nextAttempt else { return false }
    nextAttempt = count + count / 8 + 1
    return true
  }
}
