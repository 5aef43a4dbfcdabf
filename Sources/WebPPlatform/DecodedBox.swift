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

  /// Returns whether an image that was decoded for this box has too few pixels for another box.
  ///
  /// - Parameter size: the size of the image without scaling. Nil if it is not known.
  func isTooSmall(for other: DecodedBox, _ size: WebP.ImageLoader.Loaded.Size?) -> Bool {
    if let size { return other.density(size) > density(size) }
    return other.isCovered != isCovered || other.width ?? .max > width ?? .max || other.height ?? .max > height ?? .max
  }

  /// The factor by which an image is scaled. At most 1.
  private func density(_ size: WebP.ImageLoader.Loaded.Size) -> Double {
    let factors = [width.map { Double($0) / Double(size.width) }, height.map { Double($0) / Double(size.height) }]
      .compactMap { $0 }
    return min(1, (isCovered ? factors.max() : factors.min()) ?? 1)
  }
}
