import PureWebP
import WebPLoading

/// How an image is scaled to its view.
enum ImageScaling { case fits, covers, coversUpToTwice }

/// The size that an image is decoded for, in pixels of the upright image. The sides are multiples of 64, so that few
/// sizes are decoded.
///
///     shown, in pixels    decoded for    image of 4000 × 3000 pixels
///     300 × 225           320 × 256      320 × 240
///     310 × 233           320 × 256      stays
///     640 × 480           640 × 512      decoded again
struct DecodedBox: Equatable {
  /// The width. Nil if it does not limit the image.
  let width: Int?
  let height: Int?
  /// With `fits`, the image lies within the box. Otherwise, it covers the box. With `coversUpToTwice`, it has at most
  /// twice the sides that fit, and therefore four times the pixels.
  let scaling: ImageScaling

  /// Returns nil if the size is not known, or too large for any image.
  init?(width: Double, height: Double, _ scaling: ImageScaling) {
    func side(_ length: Double) -> Int? {
      length >= 1 && length < 0x1p24 ? (Int(length.rounded(.up)) + 63) / 64 * 64 : nil
    }
    (self.width, self.height, self.scaling) = (side(width), side(height), scaling)
    if self.width == nil, self.height == nil { return nil }
  }

  /// - Parameter size: the size of the image. As long as it is nil, the image is assumed not to be a panorama.
  func outputSize(_ size: WebP.Size?) -> WebP.OutputSize {
    let cover = WebP.OutputSize.fill(width: width, height: height)
    switch scaling {
    case .fits: return .fit(width: width, height: height)
    case .covers: return cover
    case .coversUpToTwice:
      let twice = WebP.OutputSize.fit(width: width.map { 2 * $0 }, height: height.map { 2 * $0 })
      guard let size, let limit = twice.density(size), let density = cover.density(size) else { return cover }
      return density > limit ? twice : cover
    }
  }

  /// The factor by which an image is scaled.
  func density(_ size: WebP.Size) -> Double { outputSize(size).density(size) ?? 1 }
}
