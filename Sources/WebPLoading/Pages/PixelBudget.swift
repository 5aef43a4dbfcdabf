import Foundation
import PureWebP

/// Bounds the pixels of all images of a page by the bytes of the page and its resources, as `WebP.Limits` bounds the
/// pixels of one image by its bytes.
struct PixelBudget {
  private let limits: WebP.Limits
  private var bytes: Int
  private var pixels = 0

  /// Creates a budget.
  ///
  /// - Parameters:
  ///   - limits: the limits whose `unrestrictedPixels` and `maximumPixelsPerByte` apply to the page.
  ///   - pageBytes: the length of the page, including its data URLs.
  init(_ limits: WebP.Limits, pageBytes: Int) {
    self.limits = limits
    bytes = pageBytes
  }

  /// Adds the bytes of a resource that was loaded for the page.
  mutating func addBytes(_ count: Int) { bytes += count }

  /// Subtracts the pixels of an image, or of all frames of an animation. An image with invalid headers has no cost,
  /// because its conversion fails.
  ///
  /// - Throws: `URLError.dataLengthExceedsMaximum` if the image exceeds the budget, which then stays unchanged.
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
