import Foundation
import PureWebP

/// The pixels of an image in a form that views draw without converting or copying them. The length of rows is a
/// multiple of 32 bytes, as Core Animation requires. Opaque images are marked, and are drawn without blending.
///
/// `CGImage` retains the memory through `bytes`. It does not change, so that all views of an image share it.
package struct DrawablePixels: Sendable {
  package let width: Int
  package let height: Int
  package let format: WebP.PixelFormat
  private let memory: PixelMemory
  package let bytesPerRow: Int
  /// Indicates whether the alpha of all pixels is 255.
  package let isOpaque: Bool
  private let appliedOrientation: WebP.Orientation?

  /// The distance between rows is a multiple of this number of bytes.
  static let rowAlignment = 32

  /// Uses the pixels of an image whose format is packed. They are copied only if their rows are not aligned.
  package init(_ image: WebP.Image) {
    let image = image.withAlignedRows
    self.init(image, PixelMemory(image.pixels), isOpaque: image.isOpaque)
  }

  /// - Parameter memory: the pixels of the image, with aligned rows.
  init(_ image: WebP.Image, _ memory: PixelMemory, isOpaque: Bool) {
    (width, height, format) = (image.width, image.height, image.format)
    (appliedOrientation, bytesPerRow) = (image.appliedOrientation, image.stride)
    (self.memory, self.isOpaque) = (memory, isOpaque)
  }

  /// The rows, with gaps between them, as data that shares the memory.
  package var bytes: NSData { memory.data }

  /// A copy of the pixels without gaps.
  package var image: WebP.Image {
    let image = WebP.Image(width: width, height: height, format: format, pixels: bytes as Data, stride: bytesPerRow)
    guard var image else { preconditionFailure("the rows are those of an image") }
    image.appliedOrientation = appliedOrientation
    return image
  }
}

extension WebP.Image {
  /// The image without gaps between its rows. It is copied if it has some, as images of a decoder with aligned rows.
  var withoutGaps: WebP.Image {
    if layout.planes.count > 1 || stride == layout.planes[0].rowBytes { return self }
    return copied(stride: layout.planes[0].rowBytes)
  }

  /// The image with rows as `CGImage` needs them, and a gap after the last one.
  fileprivate var withAlignedRows: WebP.Image {
    let alignment = DrawablePixels.rowAlignment
    if stride % alignment == 0, pixels.count >= stride * height { return self }
    return copied(stride: (layout.planes[0].rowBytes + alignment - 1) / alignment * alignment)
  }

  private func copied(stride: Int) -> WebP.Image {
    var pixels = ContiguousArray<UInt8>(repeating: 0, count: stride * height)
    var span = pixels.mutableSpan
    guard let layout = WebP.Layout(format: format, width: width, height: height, stride: stride),
      (try? copyPlane(0, into: &span, stride: stride)) != nil
    else { preconditionFailure("the memory has all rows") }
    var image = WebP.Image(width: width, height: height, format: format, pixels: pixels, layout: layout)
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
