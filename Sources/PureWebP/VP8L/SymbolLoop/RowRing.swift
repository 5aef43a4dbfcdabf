/// Rows of pixels before the transforms are undone, the last few of a picture.
///
///     pixels    ├ row 0 ┼ row 1 ┼ … ┼ row n − 1 ┤      row y of the picture is row y mod n
struct RowRing {
  var pixels: ContiguousArray<UInt32>
  /// In pixels; a `PixelRing`'s has slack behind them.
  let size: Int
  let width: Int

  /// Where the first of `rows` starts, and how many of them follow it before the ring wraps.
  func place(of rows: Range<Int>) -> (start: Int, count: Int) {
    let start = rows.lowerBound * width % size
    return (start, min(rows.count, (size - start) / width))
  }

  /// Copies rows of another ring to their places in this one.
  mutating func copy(_ rows: Range<Int>, from other: borrowing RowRing) {
    let (width, size) = (width, size)
    var target = pixels.mutableSpan
    for row in rows {
      target.copyPixels(
        width, from: other.pixels.span, at: row * width % other.size, to: 4 * (row * width % size))
    }
  }
}
