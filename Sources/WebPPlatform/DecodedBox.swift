import PureWebP
import WebPLoading

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
  /// Indicates whether the image covers the box. Otherwise, it lies within the box.
  let isCovered: Bool

  /// Returns nil if the size is not known, or too large for any image.
  init?(width: Double, height: Double, isCovered: Bool) {
    func side(_ length: Double) -> Int? {
      length >= 1 && length < 0x1p24 ? (Int(length.rounded(.up)) + 63) / 64 * 64 : nil
    }
    (self.width, self.height, self.isCovered) = (side(width), side(height), isCovered)
    if self.width == nil, self.height == nil { return nil }
  }

  var outputSize: WebP.OutputSize {
    isCovered ? .fill(width: width, height: height) : .fit(width: width, height: height)
  }

  /// The factor by which an image is scaled.
  func density(_ size: WebP.ImageLoader.Loaded.Size) -> Double { outputSize.density(size) ?? 1 }

  /// Returns whether an image that is decoded for this box may have too few pixels for another box.
  func mayBeTooSmall(for other: DecodedBox) -> Bool {
    other.isCovered != isCovered || other.width ?? .max > width ?? .max || other.height ?? .max > height ?? .max
  }
}
