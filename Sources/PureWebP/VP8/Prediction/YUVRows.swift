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
    luma = .init(repeating: border, count: Self.gap + (rowsAbove + 16) * lumaStride + Self.slack)
    u = .init(repeating: border, count: Self.gap + (rowsAbove / 2 + 8) * chromaStride + Self.slack)
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
