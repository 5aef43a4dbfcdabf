/// The part of a picture that is wanted.
///
/// The window's edges act as the picture's: chroma samples beyond them are not seen by the fancy upsampler. A lossy
/// picture is cropped in units of a chroma sample: the left and the upper edge of its window are even.
struct CropWindow {
  let x: Int
  let y: Int
  let width: Int
  let height: Int

  /// - Parameters:
  ///   - width: of the picture.
  ///   - height: of the picture.
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

  /// The rows of the picture that the window shows.
  var rows: Range<Int> { y..<y + height }

  /// The columns of the picture that the window shows.
  var columns: Range<Int> { x..<x + width }

  /// Converts rows of the image to rows of the window.
  func rows(of rows: Range<Int>) -> Range<Int> {
    let shown = rows.clamped(to: self.rows)
    return shown.lowerBound - y..<shown.upperBound - y
  }
}

/// The rows of a lossy picture that a window shows, and where they are in the bytes that came with them.
struct WindowRows {
  /// Rows of the window. As in `YUVRows`, the lower bound is even, and the upper one even or the height.
  let rows: Range<Int>
  private let luma: Int
  private let lumaStride: Int
  private let chroma: Int
  private let chromaStride: Int
  private let alpha: Int
  private let alphaStride: Int

  /// - Parameter pictureWidth: the distance of alpha rows.
  init(_ source: borrowing YUVRows, window: CropWindow, pictureWidth: Int) {
    rows = window.rows(of: source.rows)
    let above = rows.lowerBound + window.y - source.rows.lowerBound
    lumaStride = source.lumaStride
    luma = source.lumaStart + above * lumaStride + window.x
    chromaStride = source.chromaStride
    chroma = source.chromaStart + above / 2 * chromaStride + window.x / 2
    alphaStride = pictureWidth
    alpha = above * alphaStride + window.x
  }

  /// Where a row of luma starts.
  func luma(_ row: Int) -> Int { luma + (row - rows.lowerBound) * lumaStride }

  /// Where the row of chroma starts that belongs to a row of luma.
  func chroma(_ row: Int) -> Int { chroma + (row / 2 - rows.lowerBound / 2) * chromaStride }

  /// Where a row of alpha starts.
  func alpha(_ row: Int) -> Int { alpha + (row - rows.lowerBound) * alphaStride }
}
