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
    let (rowBytes, stride) = (image.layout.planes[0].rowBytes, image.stride)
    bytesPerRow = (rowBytes + 31) / 32 * 32
    let padding = Data(count: bytesPerRow - rowBytes)
    var bytes = Data(capacity: bytesPerRow * image.height)
    for row in 0..<image.height {
      bytes.append(contentsOf: image.pixels[row * stride..<row * stride + rowBytes])
      bytes.append(padding)
    }
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
