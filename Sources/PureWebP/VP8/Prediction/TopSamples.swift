// The samples above a row of macroblocks, from which the row is predicted (RFC 6386, sections 12.2 and 12.3).

internal import WebPFormat

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
    luma = .init(repeating: Self.topBorder, count: Self.start + columns * 16 + 16)
    u = .init(repeating: Self.topBorder, count: Self.start + columns * 8)
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
