/// A few rows of a picture in Y, U and V (RFC 6386, section 5), on their way from the VP8 decoder to Output.
///
///     luma    ├ gap ┼ rows … ┼ e rows that the loop filter may still change ┼ slack ┤
///                   lumaStart
///
/// In the first row of macroblocks e rows that mean nothing lie before `lumaStart`. The rows are as wide as whole
/// macroblocks. At least `slack` bytes follow the last row of each plane, so that vectors may be read across its end.
struct YUVRows {
  static let slack = 64
  /// At least this lies before a plane's first row and after each.
  static let gap = 16

  var luma: ContiguousArray<UInt8>
  var u: ContiguousArray<UInt8>
  var v: ContiguousArray<UInt8>
  let lumaStride: Int
  let chromaStride: Int
  /// Where in `luma` the first of `rows` starts.
  var lumaStart = 0
  /// Where in `u` and `v` the chroma row of the first of `rows` starts.
  var chromaStart = 0
  /// The rows of the picture that are finished and held here. The lower bound is even; the upper one is even too, or
  /// the picture's height.
  var rows = 0..<0
}

extension YUVRows {
  /// Room for a row of macroblocks below `rowsAbove` rows of luma and half as many of chroma. All, gaps too, has the
  /// value of the border to the left of the picture.
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

  /// An odd multiple of 64: lines of a power of two would all fall into the same places of a cache.
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
