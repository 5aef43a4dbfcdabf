import Foundation
import PureWebP

/// Reads the headers of a WebP whose bytes are still coming.
///
/// Each reading goes through all chunks so far. So there is none before an eighth more bytes have come than at the last
/// one: all of them together go through nine times the bytes at the most, in however many pieces those come.
struct HeaderReading {
  private var nextAttempt = 0

  /// What the headers say, or nil as long as they are not there: those of the picture too, since only they tell for sure
  /// whether there is alpha.
  ///
  /// - Parameter bytes: all so far.
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

  /// Whether so many bytes are worth another reading, which is done then.
  mutating func isDue(at count: Int) -> Bool {
    guard count >= nextAttempt else { return false }
    nextAttempt = count + count / 8 + 1
    return true
  }
}
