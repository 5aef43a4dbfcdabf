// What a row of macroblocks is predicted from, beyond itself (RFC 6386, sections 12.2 and 12.3).

/// The last pixels of the macroblocks above a row, as they were before the loop filter, with a border on both sides.
///
///     luma   │ corner │ 16 pixels for each macroblock … │ 4 above and to the right of the last one
///            0       15                16 + 16 · columns
///
/// Above the first row everything is 127, the corner too. Above other rows the corner is 129, as is the column to the left
/// of the picture, and the last four repeat the last pixel.
struct TopSamples {
  /// Where in each line the first macroblock's pixels start.
  static let start = 16
  /// Of the column to the left of the picture.
  static let leftBorder: UInt8 = 129
  static let topBorder: UInt8 = 127

  private(set) var luma: ContiguousArray<UInt8>
  private(set) var u: ContiguousArray<UInt8>
  private(set) var v: ContiguousArray<UInt8>

  /// The lines above a picture's first row of macroblocks.
  init(columns: Int) {
    luma = .init(repeating: Self.topBorder, count: Self.start + columns * 16 + 16)
    u = .init(repeating: Self.topBorder, count: Self.start + columns * 8)
    v = u
  }

  /// Keeps the last line of each plane of a row of macroblocks, which starts in the planes at `lumaStart` and `chromaStart`.
  mutating func keep(from rows: YUVRows, lumaStart: Int, chromaStart: Int) {
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
