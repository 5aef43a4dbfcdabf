// The steps from the parsed macroblocks of a row to its pixels (RFC 6386, sections 12, 14 and 15).
//
// A row of macroblocks is stored below the last e rows of the previous one, which the loop filter may still change:
//
//                129 │                          │ 129            e   deferred rows: 0, 2 or 8
//        e rows  129 │ macroblocks above, end   │ 129
//               ─────┼──────────────────────────┼─────
//       16 rows  129 │ macroblocks of this row  │ 129            chroma: half of all sizes
//                129 │                          │ 129
//
// After prediction and filtering, the 16 rows from the top are finished (fewer in the first row of macroblocks, more in
// the last). The e rows after them are stored for the next row.
//
// Lines are longer than the image is wide. The samples after the image keep 129, the border's value: they are the
// column to the left of the next line.

internal import WebPFormat

/// Predicts, transforms and filters the macroblocks of a frame, row by row.
struct Reconstruction {
  let schedule: RowSchedule
  private let factors: ContiguousArray<DequantizationFactors>
  private let filter: LoopFilter?
  private var dithering: Dithering?
  private var above: TopSamples
  private var deferredSamples: DeferredSamples?

  /// - Parameters:
  ///   - usesOneRow: whether each call receives the same `MacroblockRow`, which then still has the deferred rows at its
  ///     end.
  ///   - ditheringStrength: 0...100; 0 for none.
  ///   - cropColumns: the columns of the image inside of the crop. Only dithering depends on them.
  init(
    header: FrameHeader, bypassesLoopFilter: Bool, usesOneRow: Bool, ditheringStrength: Int,
    cropColumns: Range<Int>
  ) {
    let columns = header.macroblockColumns
    factors = DequantizationFactors.ofSegments(header)
    filter = bypassesLoopFilter ? nil : LoopFilter(header)
    let deferredRows = filter?.deferredRows ?? 0
    schedule = RowSchedule(height: header.height, deferredRows: deferredRows)
    // As in libwebp, dithering starts at column 0 with the normal filter. Otherwise it is limited to the macroblocks
    // that affect the crop.
    let first = filter?.isSimple == false ? 0 : max(0, cropColumns.lowerBound - deferredRows) / 16
    let end = min(columns, (cropColumns.upperBound + 15 + deferredRows) / 16)
    dithering = Dithering(header, strength: ditheringStrength, columns: first..<end)
    above = TopSamples(columns: columns)
    deferredSamples = usesOneRow || deferredRows == 0 ? nil : DeferredSamples(deferredRows, columns: columns)
  }

  /// Predicts a row of macroblocks, adds its residuals and filters it.
  ///
  /// - Parameters:
  ///   - row: receives the finished rows of the image: 16y − e ..< 16(y + 1) − e. The first range begins at 0, and the
  ///     last one ends at the image's height. Afterwards, the extents include the DCs that luma gets from the Y2
  ///     blocks.
  ///   - y: the index of the row, from 0 on, in order.
  mutating func reconstruct(_ row: inout MacroblockRow, at y: Int) {
    let isFirst = y == 0
    let lumaStart = YUVRows.gap + schedule.deferredRows * row.pixels.lumaStride
    let chromaStart = YUVRows.gap + schedule.deferredRows / 2 * row.pixels.chromaStride
    if !isFirst, schedule.deferredRows > 0 {
      if let deferredSamples {
        deferredSamples.copy(to: &row.pixels)
      } else {
        row.pixels.moveUp(deferredRows: schedule.deferredRows)
      }
    }
    row.pixels.reconstruct(
      &row.macroblocks, row.coefficients, factors, lumaStart: lumaStart, chromaStart: chromaStart, below: above,
      isFirst: isFirst)
    above.store(from: row.pixels, lumaStart: lumaStart, chromaStart: chromaStart)
    // A copy, because a span of a property of the row counts as an access to the complete row.
    let macroblocks = row.macroblocks
    if let filter {
      row.pixels.filter(
        macroblocks.span, filter, lumaStart: lumaStart, chromaStart: chromaStart, isFirst: isFirst)
    }
    dithering?.dither(macroblocks.span, in: &row.pixels, at: chromaStart)
    deferredSamples?.store(from: row.pixels)
    row.pixels.rows = schedule.rows(at: y)
    row.pixels.lumaStart = isFirst ? lumaStart : YUVRows.gap
    row.pixels.chromaStart = isFirst ? chromaStart : YUVRows.gap
  }
}

extension YUVRows {
  /// Moves the last rows of a row of macroblocks above the next one, which is stored in the same memory.
  fileprivate mutating func moveUp(deferredRows rows: Int) {
    luma.move(rows * lumaStride, from: Self.gap + 16 * lumaStride, to: Self.gap)
    u.move(rows / 2 * chromaStride, from: Self.gap + 8 * chromaStride, to: Self.gap)
    v.move(rows / 2 * chromaStride, from: Self.gap + 8 * chromaStride, to: Self.gap)
  }
}

/// A copy of the last rows of a row of macroblocks, which the loop filter may still change. They are copied to the next
/// `MacroblockRow`.
///
///     ├ e rows of luma ────────────┼ e / 2 of U ───┼ e / 2 of V ───┤
private struct DeferredSamples {
  private let lumaCount: Int
  private let chromaCount: Int
  private var samples: ContiguousArray<UInt8>

  /// - Parameter rows: the number of rows, e above.
  init(_ rows: Int, columns: Int) {
    lumaCount = rows * YUVRows.lumaStride(columns: columns)
    chromaCount = rows / 2 * YUVRows.chromaStride(columns: columns)
    samples = .init(filledWith: 0, count: lumaCount + 2 * chromaCount)
  }

  mutating func store(from rows: YUVRows) {
    let (lumaStart, chromaStart) = (YUVRows.gap + 16 * rows.lumaStride, YUVRows.gap + 8 * rows.chromaStride)
    samples.copy(lumaCount, from: rows.luma.span, at: lumaStart, to: 0)
    samples.copy(chromaCount, from: rows.u.span, at: chromaStart, to: lumaCount)
    samples.copy(chromaCount, from: rows.v.span, at: chromaStart, to: lumaCount + chromaCount)
  }

  /// Copies the rows above the next row of macroblocks.
  func copy(to rows: inout YUVRows) {
    rows.luma.copy(lumaCount, from: samples.span, at: 0, to: YUVRows.gap)
    rows.u.copy(chromaCount, from: samples.span, at: lumaCount, to: YUVRows.gap)
    rows.v.copy(chromaCount, from: samples.span, at: lumaCount + chromaCount, to: YUVRows.gap)
  }
}
