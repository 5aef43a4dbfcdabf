internal import WebPFormat

/// Converts lossless rows to scaled output in any format. Colors are multiplied by alpha, all four channels are scaled,
/// and colors are divided by alpha again.
struct LosslessScaler {
  private let window: CropWindow
  private let width: Int
  private let height: Int
  /// Nil for packed formats.
  var planes: OutputPlanes?
  private var rescaler: Rescaler
  private var sourceRow: ContiguousArray<UInt8>
  private var row: ContiguousArray<UInt8>
  private var finishedRows = 0

  /// - Parameters:
  ///   - window: the part of the image that is scaled.
  ///   - planes: the planes of a planar format. Nil for packed formats.
  @inline(never)
  @_optimize(size)
  init(window: CropWindow, to width: Int, _ height: Int, planes: OutputPlanes?) {
    self.window = window
    self.width = width
    self.height = height
    self.planes = planes
    rescaler = Rescaler(width: window.width, height: window.height, to: width, height, channels: 4)
    sourceRow = ContiguousArray(filledWith: 0, count: 4 * window.width)
    row = ContiguousArray(filledWith: 0, count: 4 * width)
  }

  /// Writes the next rows. Returns the total number of rows written, including earlier calls.
  ///
  /// - Parameter start: the offset in `rgba` of the first of `rows`, which are rows of the window.
  mutating func write(
    rgba: Span<UInt8>, at start: Int, stride: Int, rows: Range<Int>, through writer: PackedWriter,
    into pixels: inout MutableSpan<UInt8>
  ) -> Int {
    for index in 0..<rows.count {
      sourceRow.copy(4 * window.width, from: rgba, at: start + index * stride, to: 0)
      multiplyByAlpha(rgba: &sourceRow, width: window.width, inverse: false)
      rescaler.importRow(sourceRow)
      while rescaler.hasRow { exportRow(through: writer, into: &pixels) }
    }
    return planes?.chroma == nil || finishedRows == height ? finishedRows : finishedRows & ~1
  }

  private mutating func exportRow(through writer: PackedWriter, into pixels: inout MutableSpan<UInt8>) {
    rescaler.exportRow(into: &row)
    multiplyByAlpha(rgba: &row, width: width, inverse: true)
    if let planes {
      writeLuma(rgba: row.span, at: 0, into: &pixels, at: planes.luma.start(of: finishedRows), width: width)
      if let chroma = planes.chroma {
        writeChroma(
          rgba: row.span, at: 0, into: &pixels, u: chroma.u.start(of: finishedRows / 2),
          v: chroma.v.start(of: finishedRows / 2), width: width, averaging: finishedRows & 1 == 1)
      }
      if let alpha = planes.alpha {
        writeAlpha(rgba: row.span, at: 0, into: &pixels, at: alpha.start(of: finishedRows), width: width)
      }
    } else {
      writer.write(rgba: row.span, at: 0, row: finishedRows, into: &pixels)
    }
    finishedRows += 1
  }
}
