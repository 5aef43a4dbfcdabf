internal import WebPFormat

/// Converts lossless rows to planar formats (see RGBToYUV.swift).
///
/// A chroma row is computed from two rows of pixels. If a batch ends with the first of them, that row is buffered.
struct YUVConverter {
  private let width: Int
  private let height: Int
  var planes: OutputPlanes
  /// The last row of a batch, if its chroma also needs the next row.
  private var bufferedRow: ContiguousArray<UInt8>

  init(width: Int, height: Int, planes: OutputPlanes) {
    self.width = width
    self.height = height
    self.planes = planes
    bufferedRow = ContiguousArray(filledWith: 0, count: 4 * width)
  }

  /// Writes the next rows. Returns the total number of rows written to all planes, including earlier calls.
  ///
  /// - Parameter start: the offset in `rgba` of the first of `rows`.
  mutating func write(
    rgba: Span<UInt8>, at start: Int, stride: Int, rows: Range<Int>, into pixels: inout MutableSpan<UInt8>
  ) -> Int {
    for row in rows {
      let offset = start + (row - rows.lowerBound) * stride
      writeLuma(rgba: rgba, at: offset, into: &pixels, at: planes.luma.start(of: row), width: width)
      if let alpha = planes.alpha {
        writeAlpha(rgba: rgba, at: offset, into: &pixels, at: alpha.start(of: row), width: width)
      }

      if planes.chroma == nil { continue }
      if row & 1 == 1, row > rows.lowerBound {
        writeChromaRow(row / 2, rgba, offset - stride, rgba, offset, into: &pixels)
      } else if row & 1 == 1 {
        writeChromaRow(row / 2, bufferedRow.span, 0, rgba, offset, into: &pixels)
      } else if row == height - 1 {
        writeChromaRow(row / 2, rgba, offset, rgba, offset, into: &pixels)
      } else if row == rows.upperBound - 1 {
        bufferedRow.copy(4 * width, from: rgba, at: offset, to: 0)
      }
    }
    return rows.upperBound == height || planes.chroma == nil ? rows.upperBound : rows.upperBound & ~1
  }

  private func writeChromaRow(
    _ row: Int, _ top: Span<UInt8>, _ topStart: Int, _ bottom: Span<UInt8>, _ bottomStart: Int,
    into pixels: inout MutableSpan<UInt8>
  ) {
    guard let chroma = planes.chroma else { return }
    writeChroma(
      top: top, at: topStart, bottom: bottom, at: bottomStart, into: &pixels, u: chroma.u.start(of: row),
      v: chroma.v.start(of: row), width: width, weighted: planes.alpha != nil)
  }
}
