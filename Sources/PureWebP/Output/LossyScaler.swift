internal import WebPFormat

/// Converts lossy rows to scaled output in any format.
///
/// For packed formats, Y, U and V are scaled to the size of the output and then converted pixel by pixel. For planar
/// formats, U and V are scaled to half of that size. Alpha is scaled separately. In formats with an alpha plane, luma
/// is multiplied by alpha before scaling, and divided by it afterwards.
struct LossyScaler {
  private let width: Int
  private let sourceWidth: Int
  /// Nil for packed formats.
  var planes: OutputPlanes?
  private var y: Rescaler
  private var u: Rescaler
  private var v: Rescaler
  private var a: Rescaler
  private var lumaRow: ContiguousArray<UInt8>
  private var uRow: ContiguousArray<UInt8>
  private var vRow: ContiguousArray<UInt8>
  private var alphaRow: ContiguousArray<UInt8>
  private var rgbaRow: ContiguousArray<UInt8>
  private var finishedRows = 0
  private var finishedChromaRows = 0

  /// - Parameters:
  ///   - window: the part of the image that is scaled.
  ///   - planes: the planes of a planar format. Nil for packed formats.
  @inline(never)
  @_optimize(size)
  init(window: CropWindow, to width: Int, _ height: Int, planes: OutputPlanes?) {
    self.width = width
    sourceWidth = window.width
    self.planes = planes
    let isPlanar = planes != nil
    y = Rescaler(width: window.width, height: window.height, to: width, height, channels: 1)
    a = y
    u = Rescaler(
      width: (window.width + 1) / 2, height: (window.height + 1) / 2, to: isPlanar ? (width + 1) / 2 : width,
      isPlanar ? (height + 1) / 2 : height, channels: 1)
    v = u
    lumaRow = ContiguousArray(filledWith: 0, count: max(width, window.width) + blockSlack)
    uRow = ContiguousArray(filledWith: 0, count: isPlanar ? 0 : width + blockSlack)
    vRow = uRow
    alphaRow = ContiguousArray(filledWith: 255, count: width + blockSlack)
    rgbaRow = ContiguousArray(filledWith: 0, count: isPlanar ? 0 : 4 * (width + blockSlack))
  }

  /// Writes the next rows. Returns the total number of rows written, including earlier calls.
  mutating func write(
    _ source: borrowing YUVRows, _ windowRows: WindowRows, alpha: Span<UInt8>, through writer: PackedWriter,
    into pixels: inout MutableSpan<UInt8>
  ) -> Int {
    let isOpaque = alpha.isEmpty
    let hasChroma = planes == nil || planes?.chroma != nil
    let hasAlphaPlane = planes?.alpha != nil
    for row in windowRows.rows {
      // Chroma is imported first, because all rows that the luma rescaler can export must be written before it imports
      // another. These rows never need a later row of chroma.
      if row & 1 == 0, hasChroma {
        u.importRow(source.u.span, at: windowRows.chroma(row))
        v.importRow(source.v.span, at: windowRows.chroma(row))
        export(isOpaque: isOpaque, through: writer, into: &pixels)
      }
      if !isOpaque, planes == nil || hasAlphaPlane { a.importRow(alpha, at: windowRows.alpha(row)) }
      if !isOpaque, hasAlphaPlane {
        multiplyLumaByAlpha(source.luma.span, at: windowRows.luma(row), alpha: alpha, at: windowRows.alpha(row))
        y.importRow(lumaRow)
      } else {
        y.importRow(source.luma.span, at: windowRows.luma(row))
      }
      export(isOpaque: isOpaque, through: writer, into: &pixels)
    }
    return planes?.chroma == nil ? finishedRows : min(finishedRows, 2 * finishedChromaRows)
  }

  /// Writes the product of luma and alpha to `lumaRow`.
  private mutating func multiplyLumaByAlpha(_ luma: Span<UInt8>, at start: Int, alpha: Span<UInt8>, at alphaStart: Int)
  {
    let width = sourceWidth
    var row = lumaRow.mutableSpan
    multiplyByAlpha(
      samples: luma, at: start, alpha: alpha, at: alphaStart, inverse: false, into: &row, at: 0, width: width)
  }

  private mutating func export(
    isOpaque: Bool, through writer: PackedWriter, into pixels: inout MutableSpan<UInt8>
  ) {
    guard let planes else {
      while y.hasRow, u.hasRow { exportPackedRow(isOpaque: isOpaque, through: writer, into: &pixels) }
      return
    }
    while y.hasRow { exportLumaRow(of: planes, isOpaque: isOpaque, into: &pixels) }
    while let chroma = planes.chroma, u.hasRow {
      u.exportRow(into: &pixels, at: chroma.u.start(of: finishedChromaRows))
      v.exportRow(into: &pixels, at: chroma.v.start(of: finishedChromaRows))
      finishedChromaRows += 1
    }
  }

  private mutating func exportPackedRow(
    isOpaque: Bool, through writer: PackedWriter, into pixels: inout MutableSpan<UInt8>
  ) {
    y.exportRow(into: &lumaRow)
    u.exportRow(into: &uRow)
    v.exportRow(into: &vRow)
    if !isOpaque { a.exportRow(into: &alphaRow) }
    convertFullRow(
      luma: lumaRow, alpha: alphaRow, u: uRow, v: vRow, into: &rgbaRow, width: width)
    writer.write(rgba: rgbaRow.span, at: 0, row: finishedRows, into: &pixels)
    finishedRows += 1
  }

  private mutating func exportLumaRow(of planes: OutputPlanes, isOpaque: Bool, into pixels: inout MutableSpan<UInt8>) {
    let offset = planes.luma.start(of: finishedRows)
    if planes.alpha != nil, !isOpaque {
      y.exportRow(into: &lumaRow)
      a.exportRow(into: &alphaRow)
      multiplyByAlpha(
        samples: lumaRow.span, at: 0, alpha: alphaRow.span, at: 0, inverse: true, into: &pixels, at: offset,
        width: width)
    } else {
      y.exportRow(into: &pixels, at: offset)
    }
    if let alpha = planes.alpha {
      pixels.copy(width, from: alphaRow.span, at: 0, to: alpha.start(of: finishedRows))
    }
    finishedRows += 1
  }
}
