import Foundation
import PureWebP

/// Bounds the pixels that are written for all images of a page by the bytes of the page and its resources, as
/// `WebP.Limits` bounds the pixels of one image by its bytes.
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

  /// Subtracts the pixels that a conversion writes: an image, or the canvas once for each frame of an animation.
  /// A frame may be smaller than the canvas, but each one is composed on a canvas. An image with invalid headers has no
  /// cost, because its conversion fails.
  ///
  /// - Throws: `URLError.dataLengthExceedsMaximum` if the image exceeds the budget, which then stays unchanged.
  mutating func charge(_ webP: Data) throws {
    guard let info = try? WebP.info(webP) else { return }
    let frames = info.isAnimated ? (try? WebP.Animation(webP).frameCount) ?? 0 : 1
    let (canvas, overflow) = info.width.multipliedReportingOverflow(by: info.height)
    let (cost, overflowToo) = canvas.multipliedReportingOverflow(by: frames)
    guard !overflow, !overflowToo, cost <= permitted - pixels else { throw URLError.tooManyPixelsInPage }
    pixels += cost
  }

  /// The number of pixels that the page's bytes permit.
  private var permitted: Int {
    let (proportionate, overflow) = bytes.multipliedReportingOverflow(by: max(0, limits.maximumPixelsPerByte))
    let (permitted, overflowToo) = proportionate.addingReportingOverflow(limits.unrestrictedPixels)
    return overflow || overflowToo ? .max : permitted
  }
}
