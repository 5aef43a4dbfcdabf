/// The way of lossless rows to planar formats (see Kernels/RGBToYUV.swift).
///
/// A chroma row is made from two rows of pixels: where the first of them ends a batch, it waits here.
struct YUVConverter {
  private let width: Int
  private let height: Int
  private let layout: WebP.Layout
  private var held: ContiguousArray<UInt8>

  init(width: Int, height: Int, layout: WebP.Layout) {
    self.width = width
    self.height = height
    self.layout = layout
    held = ContiguousArray(repeating: 0, count: 4 * width)
  }

  /// Takes the next rows, and returns the number of rows, from the top, that have been written in all planes.
  mutating func write(
    rgba: Span<UInt8>, stride: Int, rows: Range<Int>, into pixels: inout MutableSpan<UInt8>
  ) -> Int {
    for row in rows {
      let start = (row - rows.lowerBound) * stride
      let luma = layout.planes[0]
      writeLuma(rgba: rgba, at: start, into: &pixels, at: luma.offset + row * luma.stride, width: width)
      if layout.planes.count == 4 {
        let alpha = layout.planes[3]
        writeAlpha(rgba: rgba, at: start, into: &pixels, at: alpha.offset + row * alpha.stride, width: width)
      }

      if row & 1 == 1, row > rows.lowerBound {
        writeChromaRow(row / 2, rgba, start - stride, rgba, start, into: &pixels)
      } else if row & 1 == 1 {
        writeChromaRow(row / 2, held.span, 0, rgba, start, into: &pixels)
      } else if row == height - 1 {
        writeChromaRow(row / 2, rgba, start, rgba, start, into: &pixels)
      } else if row == rows.upperBound - 1 {
        held.copy(4 * width, from: rgba, at: start, to: 0)
      }
    }
    return rows.upperBound == height ? height : rows.upperBound & ~1
  }

  private func writeChromaRow(
    _ row: Int, _ top: Span<UInt8>, _ topStart: Int, _ bottom: Span<UInt8>, _ bottomStart: Int,
    into pixels: inout MutableSpan<UInt8>
  ) {
    let u = layout.planes[1]
    let v = layout.planes[2]
    writeChroma(
      top: top, at: topStart, bottom: bottom, at: bottomStart, into: &pixels, u: u.offset + row * u.stride,
      v: v.offset + row * v.stride, width: width, weighted: layout.planes.count == 4)
  }
}
