// From the parsed macroblocks of a frame to its pixels, row by row (RFC 6386, sections 12, 14 and 15).
//
// A few rows are held, with what the loop filter holds back at the top:
//
//                129 │                          │ 129            e   rows held back: 0, 2 or 8
//        e rows  129 │ macroblocks above, end   │ 129
//               ─────┼──────────────────────────┼─────
//       16 rows  129 │ macroblocks of this row  │ 129            chroma: half of it all
//                129 │                          │ 129
//
// When a row of macroblocks has been predicted and filtered, the 16 rows from the top are finished (fewer after the
// first row of macroblocks, more after the last). The e rows after them then move to the top.
//
// The lines are longer than the picture is wide, by a gap that keeps the value of the border to the left of the picture:
// it serves as the last column of the line before.

struct Reconstruction {
  /// The rows that are finished. After row y of macroblocks these are 16y − e ..< 16(y + 1) − e, from 0 on, and to the
  /// picture's height after the last one.
  private(set) var output: YUVRows

  let schedule: RowSchedule
  private let factors: ContiguousArray<DequantizationFactors>
  private let filter: LoopFilter?
  private var dithering: Dithering?
  /// e
  private var rowsHeldBack: Int { schedule.rowsHeldBack }
  private var above: UnfilteredLines
  /// Where in the planes the pixels of the macroblocks start.
  private let lumaStart: Int
  private let chromaStart: Int

  /// - Parameters:
  ///   - ditheringStrength: 0...100; 0: none.
  ///   - shownColumns: the columns of the picture that will be seen; nil: all. Only dithering depends on them.
  init(
    header: FrameHeader, bypassesLoopFilter: Bool, ditheringStrength: Int = 0, shownColumns: Range<Int>? = nil
  ) {
    let columns = header.macroblockColumns
    factors = DequantizationFactors.ofSegments(header)
    filter = bypassesLoopFilter ? nil : LoopFilter(header)
    let rowsHeldBack = filter?.rowsHeldBack ?? 0
    schedule = RowSchedule(height: header.height, macroblockRows: header.macroblockRows, rowsHeldBack: rowsHeldBack)
    let shown = shownColumns ?? 0..<header.width
    let first = filter?.isSimple == false ? 0 : max(0, shown.lowerBound - rowsHeldBack) / 16
    let end = min(columns, (shown.upperBound + 15 + rowsHeldBack) / 16)
    dithering = Dithering(header, strength: ditheringStrength, columns: first..<end)
    above = UnfilteredLines(columns: columns)
    let lumaStride = Self.stride(columns: columns * 16)
    let chromaStride = Self.stride(columns: columns * 8)
    lumaStart = Self.gap + rowsHeldBack * lumaStride
    chromaStart = Self.gap + rowsHeldBack / 2 * chromaStride
    let border = UnfilteredLines.leftBorder
    let chroma = ContiguousArray(repeating: border, count: chromaStart + 8 * chromaStride + YUVRows.slack)
    output = YUVRows(
      luma: .init(repeating: border, count: lumaStart + 16 * lumaStride + YUVRows.slack), u: chroma, v: chroma,
      lumaStride: lumaStride, chromaStride: chromaStride)
  }

  /// Predicts a row of macroblocks, adds its residuals and filters it.
  ///
  /// - Parameters:
  ///   - row: Its coefficients and codes are changed: the DCs of luma move from the Y2 blocks to where they belong, and
  ///     residuals take the place of coefficients.
  ///   - y: Which row it is, from 0 on, in order.
  mutating func reconstruct(_ row: inout MacroblockRow, at y: Int) {
    let isFirst = y == 0
    if !isFirst { moveRowsHeldBack() }
    output.reconstruct(
      &row.macroblocks, &row.coefficients, factors, lumaStart: lumaStart, chromaStart: chromaStart, below: above,
      isFirst: isFirst)
    above.keep(from: output, lumaStart: lumaStart, chromaStart: chromaStart)
    if let filter {
      output.filter(
        row.macroblocks.span, filter, lumaStart: lumaStart, chromaStart: chromaStart, isFirst: isFirst)
    }
    dithering?.dither(row.macroblocks.span, in: &output, at: chromaStart)
    finishRows(at: y)
  }

  /// The rows held back, at the end, become the first.
  private mutating func moveRowsHeldBack() {
    guard rowsHeldBack > 0 else { return }
    let (luma, chroma) = (output.lumaStride, output.chromaStride)
    let start = Self.gap
    output.luma.move(rowsHeldBack * luma, from: start + 16 * luma, to: start)
    output.u.move(rowsHeldBack / 2 * chroma, from: start + 8 * chroma, to: start)
    output.v.move(rowsHeldBack / 2 * chroma, from: start + 8 * chroma, to: start)
  }

  private mutating func finishRows(at y: Int) {
    output.rows = schedule.rows(at: y)
    output.lumaStart = y == 0 ? lumaStart : Self.gap
    output.chromaStart = y == 0 ? chromaStart : Self.gap
  }

  /// At least this lies before the first line and after each.
  private static let gap = 16

  /// A line's length. An odd multiple of 64: lines of a power of two would all fall into the same places of a cache.
  private static func stride(columns: Int) -> Int { ((columns + gap + 63) / 64 | 1) * 64 }
}

/// Which rows of the picture a row of macroblocks finishes.
struct RowSchedule {
  let height: Int
  let macroblockRows: Int
  /// How many rows at the end of what has been reconstructed the loop filter may still change: e above.
  let rowsHeldBack: Int

  /// How many rows a row of macroblocks may finish: the last one has those that were held back as well.
  var mostRows: Int { min(16 + rowsHeldBack, height) }

  func rows(at y: Int) -> Range<Int> {
    let start = y == 0 ? 0 : 16 * y - rowsHeldBack
    return start..<(y == macroblockRows - 1 ? height : 16 * (y + 1) - rowsHeldBack)
  }
}
