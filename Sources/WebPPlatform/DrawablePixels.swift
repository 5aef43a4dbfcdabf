import Foundation
import PureWebP

/// The pixels of an image in a form that views draw without converting it first: the length of rows is a multiple of 32
/// bytes, as Core Animation requires, and opaque images are marked, which are drawn without blending.
struct DrawablePixels {
  /// The rows, with zeros between them.
  let bytes: Data
  let bytesPerRow: Int
  /// Indicates whether the alpha of all pixels is 255.
  let isOpaque: Bool

  /// Copies the pixels of an image whose format is packed.
  init(_ image: WebP.Image) {
    bytesPerRow = (image.layout.planes[0].rowBytes + 31) / 32 * 32
    var bytes = Data(count: bytesPerRow * image.height)
    var span = bytes.mutableSpan
    // Does not throw, because the stride and the memory are large enough.
    try? image.copyPlane(0, into: &span, stride: bytesPerRow)
    self.bytes = bytes
    isOpaque = image.isOpaque
  }
}

extension WebP.Image {
  /// Indicates whether the alpha of all pixels is 255. True for packed formats without alpha.
  fileprivate var isOpaque: Bool {
    guard let alpha = format.alphaOffset else { return !format.hasAlpha }
    let pixels = pixels.span
    for row in 0..<height {
      for column in 0..<width where pixels[row * stride + 4 * column + alpha] != 255 { return false }
    }
    return true
  }
}
