internal import WebPFormat

/// The part of an image that is output.
///
/// The edges of the window act as edges of the image: the fancy upsampler does not use chroma samples outside of it. A
/// lossy image is cropped in units of chroma samples, so the left and upper edges of its window are even.
struct CropWindow {
  let x: Int
  let y: Int
  let width: Int
  let height: Int

  /// - Parameters:
  ///   - width: the width of the image.
  ///   - height: the height of the image.
  init(_ crop: WebP.Rectangle?, width: Int, height: Int, isLossy: Bool) throws(WebP.DecodeError) {
    let crop = crop ?? WebP.Rectangle(x: 0, y: 0, width: width, height: height)
    x = isLossy ? crop.x & ~1 : crop.x
    y = isLossy ? crop.y & ~1 : crop.y
    self.width = crop.width
    self.height = crop.height
    guard
      x >= 0, y >= 0, crop.width > 0, crop.height > 0, crop.width <= width, crop.height <= height,
      x <= width - crop.width, y <= height - crop.height
    else { throw WebP.DecodeError(.invalidCrop) }
  }

  /// The size of the window.
  var size: WebP.Size { WebP.Size(width: width, height: height) }

  /// The rows of the image that lie in the window.
  var rows: Range<Int> { y..<y + height }

  /// The columns of the image that lie in the window.
  var columns: Range<Int> { x..<x + width }

  /// Converts rows of the image to rows of the window. Rows outside of the window are omitted.
  func rows(of rows: Range<Int>) -> Range<Int> {
    let clamped = rows.clamped(to: self.rows)
    return clamped.lowerBound - y..<clamped.upperBound - y
  }
}

/// The rows of a batch that lie in the window, and their positions in the planes.
struct WindowRows {
  /// The rows, counted from the top of the window. The lower bound is even. The upper bound is even or the height of
  /// the window.
  let rows: Range<Int>
  private let luma: Int
  private let lumaStride: Int
  private let chroma: Int
  private let chromaStride: Int
  private let alpha: Int
  private let alphaStride: Int

  /// - Parameter imageWidth: the width of the image, which is the stride of the alpha rows.
  init(_ source: borrowing YUVRows, window: CropWindow, imageWidth: Int) {
    rows = window.rows(of: source.rows)
    let above = rows.lowerBound + window.y - source.rows.lowerBound
    lumaStride = source.lumaStride
    luma = source.lumaStart + above * lumaStride + window.x
    chromaStride = source.chromaStride
    chroma = source.chromaStart + above / 2 * chromaStride + window.x / 2
    alphaStride = imageWidth
    alpha = above * alphaStride + window.x
  }

  /// The offset of a row of luma.
  func luma(_ row: Int) -> Int { luma + (row - rows.lowerBound) * lumaStride }

  /// The offset of the row of chroma that belongs to a row of luma.
  func chroma(_ row: Int) -> Int { chroma + (row / 2 - rows.lowerBound / 2) * chromaStride }

  /// The offset of a row of alpha.
  func alpha(_ row: Int) -> Int { alpha + (row - rows.lowerBound) * alphaStride }
}
