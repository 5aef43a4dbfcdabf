// Chroma upsampling and color conversion, pixel by pixel, for processors without vector instructions.
//
// Unsafe code: Preconditions check the rows of luma and chroma. Rows of alpha and pixels are from `CheckedRows`,
// with the sixteen bytes of slack that are read.
// Plain formula: `PlainImage.rgba` in Tests/PureWebPTests/Reference/PlainImage.swift.

internal import WebPFormat

/// Writes `width` pixels of a row as R G B A.
func upsampleRow(
  luma: UnsafeRawPointer, alpha: UnsafeRawPointer, u: ChromaRows, v: ChromaRows, to output: UnsafeMutableRawPointer,
  width: Int
) {
  let last = (width &- 1) / 2
  // Chroma that is interpolated between the two rows, times four, in the columns to the left and to the right.
  var (leftU, leftV) = unsafe (blended(u, 0), blended(v, 0))
  write(0, 4 &* leftU, 4 &* leftV)
  var x = 1
  while x < width {
    let (rightU, rightV) = unsafe (blended(u, min(x &>> 1 &+ 1, last)), blended(v, min(x &>> 1 &+ 1, last)))
    write(x, 3 &* leftU &+ rightU, 3 &* leftV &+ rightV)
    if x &+ 1 < width { write(x &+ 1, leftU &+ 3 &* rightU, leftV &+ 3 &* rightV) }
    (leftU, leftV) = (rightU, rightV)
    x &+= 2
  }

  /// Writes a pixel. `u` and `v` are its chroma, times sixteen.
  @inline(__always)
  func write(_ x: Int, _ u: Int32, _ v: Int32) {
    let pixel = unsafe convertPixel(
      luma: luma.byte(at: x), u: (u &+ 8) &>> 4, v: (v &+ 8) &>> 4, alpha: alpha.byte(at: x), order: .rgba)
    unsafe output.storeBytes(of: pixel.littleEndian, toByteOffset: 4 &* x, as: UInt32.self)
  }
}

/// A sample that is interpolated between two rows, times four.
@inline(__always)
private func blended(_ rows: ChromaRows, _ column: Int) -> Int32 {
  unsafe 3 &* Int32(rows.near.byte(at: column)) &+ Int32(rows.far.byte(at: column))
}
