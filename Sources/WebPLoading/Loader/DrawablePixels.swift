import Foundation
import PureWebP

/// The pixels of an image in a form that views draw without converting or copying them. The length of rows is a
/// multiple of 32 bytes, as Core Animation requires. Opaque images are marked, and are drawn without blending.
///
/// `CGImage` retains `bytes`, which do not change, so that all views of an image share its memory.
package struct DrawablePixels: @unchecked Sendable {
  package let width: Int
  package let height: Int
  package let format: WebP.PixelFormat
  /// The rows, with zeros between them.
  package let bytes: NSData
  package let bytesPerRow: Int
  /// Indicates whether the alpha of all pixels is 255.
  package let isOpaque: Bool
  private let appliedOrientation: WebP.Orientation?

  /// Copies the pixels of an image whose format is packed.
  package init(_ image: WebP.Image) {
    (width, height, format) = (image.width, image.height, image.format)
    appliedOrientation = image.appliedOrientation
    bytesPerRow = (image.layout.planes[0].rowBytes + 31) / 32 * 32
    var bytes = Data(count: bytesPerRow * image.height)
    var span = bytes.mutableSpan
    // Does not throw, because the stride and the memory are large enough.
    try? image.copyPlane(0, into: &span, stride: bytesPerRow)
    self.bytes = bytes as NSData
    isOpaque = image.isOpaque
  }

  /// A copy of the pixels without gaps.
  var image: WebP.Image {
    let image = WebP.Image(width: width, height: height, format: format, pixels: bytes as Data, stride: bytesPerRow)
    guard var image else { preconditionFailure("the rows are those of an image") }
    image.appliedOrientation = appliedOrientation
    return image
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
