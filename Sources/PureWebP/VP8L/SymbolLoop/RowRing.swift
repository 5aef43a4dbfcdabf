internal import WebPFormat

/// The most recent rows of pixels before the inverse transforms.
///
///     pixels    ├ row 0 ┼ row 1 ┼ … ┼ row n − 1 ┤      row y of the image is row y mod n
struct RowRing {
  var pixels: ContiguousArray<UInt32>
  /// The number of pixels in the ring. In a `PixelRing`, slack follows them.
  let size: Int
  let width: Int

  /// The index of the first of `rows`, and the number of rows that follow without wrapping around.
  func position(of rows: Range<Int>) -> (start: Int, count: Int) {
    let start = rows.lowerBound * width % size
    return (start, min(rows.count, (size - start) / width))
  }

  /// Copies rows of another ring to their positions in this one.
  mutating func copy(_ rows: Range<Int>, from other: borrowing RowRing) {
    let (width, size) = (width, size)
    var target = pixels.mutableSpan
    for row in rows {
      target.copyPixels(
        width, from: other.pixels.span, at: row * width % other.size, to: 4 * (row * width % size))
    }
  }
}
