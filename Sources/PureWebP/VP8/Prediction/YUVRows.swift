internal import WebPFormat

/// Rows of a lossy image in Y, U and V (RFC 6386, section 5), between the VP8 decoder and the OutputWriter.
///
///     luma    ├ gap ┼ rows … ┼ e rows that the loop filter may still change ┼ slack ┤
///                   lumaStart
///
/// In the first row of macroblocks, the e rows before `lumaStart` are meaningless. The width is a multiple of a
/// macroblock's. At least `slack` bytes follow the last row of each plane, so that vectors may be read across its end.
struct YUVRows {
  static let slack = 64
  /// The minimum number of bytes before a plane's first row and after each row.
  static let gap = 16

  var luma: ContiguousArray<UInt8>
  var u: ContiguousArray<UInt8>
  var v: ContiguousArray<UInt8>
  let lumaStride: Int
  let chromaStride: Int
  /// The index in `luma` of the first of `rows`.
  var lumaStart = 0
  /// The index in `u` and `v` of the chroma row of the first of `rows`.
  var chromaStart = 0
  /// The finished rows of the image that are stored here. The lower bound is even. The upper bound is even or the
  /// image's height.
  var rows = 0..<0
}

extension YUVRows {
  /// Allocates a row of macroblocks below `rowsAbove` rows of luma and half as many of chroma. All samples, and the
  /// gaps, have the value of the border to the left of the image.
  init(columns: Int, rowsAbove: Int) {
    lumaStride = Self.lumaStride(columns: columns)
    chromaStride = Self.chromaStride(columns: columns)
    let border = TopSamples.leftBorder
    luma = .init(filledWith: border, count: Self.gap + (rowsAbove + 16) * lumaStride + Self.slack)
    u = .init(filledWith: border, count: Self.gap + (rowsAbove / 2 + 8) * chromaStride + Self.slack)
    v = u
  }

  static func lumaStride(columns: Int) -> Int { stride(samples: columns * 16) }
  static func chromaStride(columns: Int) -> Int { stride(samples: columns * 8) }

  /// An odd multiple of 64: with a power of two, all lines would map to the same cache sets.
  private static func stride(samples: Int) -> Int { ((samples + gap + 63) / 64 | 1) * 64 }

  /// Traps unless a row of macroblocks lies within the planes, with `rowsAbove` rows of luma and half as many of chroma
  /// above it.
  @inline(__always)
  func checkBounds(columns: Int, rowsAbove: Int, lumaStart: Int, chromaStart: Int) {
    precondition(lumaStride >= columns &* 16 && lumaStart >= rowsAbove &* lumaStride)
    precondition(lumaStart &+ 16 &* lumaStride <= luma.count)
    precondition(chromaStride >= columns &* 8 && chromaStart >= rowsAbove / 2 &* chromaStride)
    precondition(chromaStart &+ 8 &* chromaStride <= min(u.count, v.count))
  }
}

/// Determines which rows of the image become final with each row of macroblocks, because the loop filter will not
/// change them anymore.
struct RowSchedule {
  let height: Int
  /// The number of reconstructed rows that the loop filter may still change: 0, 2 or 8.
  let deferredRows: Int

  /// The largest number of rows that become final with one row of macroblocks. With the last row of macroblocks, they
  /// include the deferred rows.
  var mostRows: Int { min(16 + deferredRows, height) }

  /// The rows that become final with row `y` of macroblocks.
  func rows(at y: Int) -> Range<Int> {
    let start = y == 0 ? 0 : 16 * y - deferredRows
    let end = 16 * (y + 1)
    return start..<(end >= height ? height : end - deferredRows)
  }
}

// The samples above a row of macroblocks, from which the row is predicted (RFC 6386, sections 12.2 and 12.3).

/// The bottom samples of the macroblocks above a row, before the loop filter, with a border on both sides.
///
///     luma   │ corner │ 16 pixels for each macroblock … │ 4 above and to the right of the last one
///            0       15                16 + 16 · columns
///
/// Above the first row all samples are 127, including the corner. Above other rows the corner is 129, like the column
/// to the left of the image, and the last four repeat the last sample.
struct TopSamples {
  /// The index of the first macroblock's samples in each line.
  static let start = 16
  /// The value of the column to the left of the image.
  static let leftBorder: UInt8 = 129
  /// The value of the row above the image.
  static let topBorder: UInt8 = 127

  private(set) var luma: ContiguousArray<UInt8>
  private(set) var u: ContiguousArray<UInt8>
  private(set) var v: ContiguousArray<UInt8>

  /// The samples above the first row of macroblocks of an image.
  init(columns: Int) {
    luma = .init(filledWith: Self.topBorder, count: Self.start + columns * 16 + 16)
    u = .init(filledWith: Self.topBorder, count: Self.start + columns * 8)
    v = u
  }

  /// Stores the last line of each plane of a row of macroblocks, which starts at `lumaStart` and `chromaStart` in the
  /// planes.
  mutating func store(from rows: YUVRows, lumaStart: Int, chromaStart: Int) {
    let lastChroma = chromaStart + 7 * rows.chromaStride
    Self.copy(rows.luma, at: lumaStart + 15 * rows.lumaStride, to: &luma, count: luma.count - Self.start - 16)
    Self.copy(rows.u, at: lastChroma, to: &u, count: u.count - Self.start)
    Self.copy(rows.v, at: lastChroma, to: &v, count: v.count - Self.start)
    let end = luma.count - 16
    for i in end..<end + 4 { luma[i] = luma[end - 1] }
  }

  private static func copy(
    _ plane: ContiguousArray<UInt8>, at start: Int, to line: inout ContiguousArray<UInt8>, count: Int
  ) {
    line[Self.start - 1] = leftBorder
    line.copy(count, from: plane.span, at: start, to: Self.start)
  }
}
