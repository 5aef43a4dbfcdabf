// This file declares the planes of a row of macroblocks and the samples above them, in one array (RFC 6386, section 5).

/// The pixels of a row of macroblocks in Y, U and V, and what is above them. Each plane, one after the other:
///
///                     129 │ the last line of the macroblocks above, not filtered │ the last pixel again
///                    ─────┼──────────────────────────────────────────────────────┼─────
///     `linesAbove`    129 │ the lines above, as far as they are filtered         │ 129
///                    ─────┼──────────────────────────────────────────────────────┼─────
///      16 or 8 lines  129 │ macroblocks of this row                              │ 129
///         `start`         ↑
///
/// 129 is the border's value to the left of the picture (RFC 6386, section 12.2), and 127 the one above it. Lines are longer
/// than the picture is wide: a line's end is the column to the left of the next one.
struct YUVRows {
  /// At least this many bytes follow the last line, so that vectors may be read across its end.
  static let slack = 64

  let columns: Int
  /// As many as the planes take, and `slack`.
  var samples: ContiguousArray<UInt8>
  /// Which row of the picture the macroblocks' first is.
  private(set) var firstRow = 0
  private let height: Int
  let planes: Planes

  init(_ header: FrameHeader) {
    columns = header.macroblockColumns
    height = header.height
    planes = Planes(rowsHeldBack: header.rowsHeldBack, stride: ((16 &* columns &+ 16 &+ 63) / 64 | 1) &* 64)
    samples = .init(repeating: 129, count: planes[3].above &+ Self.slack)
    for index in 0..<rounds(3) {
      let plane = planes[index]
      for place in plane.above &- 1..<plane.above &+ plane.stride &- 1 { samples[place] = 127 }
    }
  }

  /// The rows of the picture that are finished with this row of macroblocks. The lower bound is even; the upper one is
  /// even too, or the picture's height. Of the two rows above them, too, luma is held, and the row of chroma.
  var rows: Range<Int> {
    let end = firstRow &+ 16
    return max(0, firstRow &- planes.rowsHeldBack)..<(end >= height ? height : end &- planes.rowsHeldBack)
  }

  /// Goes to the next row of macroblocks.
  mutating func advance() {
    for index in 0..<rounds(3) {
      let plane = planes[index]
      let lines = plane.start &- plane.linesAbove &* plane.stride
      samples.move(plane.linesAbove &* plane.stride, from: lines &+ plane.size &* plane.stride, to: lines)
    }
    firstRow += 16
  }
}

/// Where the planes are in the samples.
struct Planes {
  let rowsHeldBack: Int
  /// An odd multiple of 64: lines of a power of two would all fall into the same places of a cache. The same for all
  /// planes.
  let stride: Int

  /// Y, U or V. A fourth would start where the samples end.
  @inline(never)
  subscript(index: Int) -> Plane {
    let size = index == 0 ? 16 : 8
    let linesAbove = (rowsHeldBack &+ 2) &* size / 16  // two more, which Output may still need
    let lines = index == 0 ? 0 : rowsHeldBack &+ 19 &+ (index &- 1) &* (linesAbove &+ 9)
    return Plane(
      start: 16 &+ (lines &+ linesAbove &+ 1) &* stride, stride: stride, size: size, linesAbove: linesAbove)
  }
}

/// Where a plane is in the samples.
struct Plane {
  /// The first line of the macroblocks.
  let start: Int
  let stride: Int
  /// The side of a macroblock: 16 or 8 pixels.
  let size: Int
  let linesAbove: Int

  /// The unfiltered line above.
  var above: Int { start &- (linesAbove &+ 1) &* stride }
}
