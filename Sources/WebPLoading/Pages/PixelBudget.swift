import Foundation
import PureWebP

/// Bounds the pixels of all images of a page by the bytes that were loaded for it, as `WebP.Limits` bounds the pixels of
/// one image by its bytes.
struct PixelBudget {
  private let limits: WebP.Limits
  private var bytes: Int
  private var pixels = 0

  /// - Parameter pageBytes: the length of the page, which includes its data URLs.
  init(_ limits: WebP.Limits, pageBytes: Int) {
    self.limits = limits
    bytes = pageBytes
  }

  /// Adds the bytes of a resource outside of the page.
  mutating func addBytes(_ count: Int) { bytes += count }

  /// Charges the pixels of an image; of an animation, the pixels of all frames. An image with invalid headers is free, because
  /// its conversion fails.
  ///
  /// - Throws: `URLError.dataLengthExceedsMaximum` if the budget does not suffice. Nothing is charged then.
  mutating func charge(_ webP: Data) throws {
    guard let info = try? WebP.info(webP) else { return }
    var cost = info.width * info.height
    if info.isAnimated, let animation = try? WebP.Animation(webP) {
      cost = animation.frames.reduce(0) { $0 + $1.width * $1.height }
    }
    let (proportionate, overflow) = bytes.multipliedReportingOverflow(by: max(0, limits.maximumPixelsPerByte))
    let (permitted, overflowToo) = proportionate.addingReportingOverflow(limits.unrestrictedPixels)
    guard overflow || overflowToo || cost <= permitted - pixels else { throw URLError.tooManyPixelsInPage }
    pixels += cost
  }
}
