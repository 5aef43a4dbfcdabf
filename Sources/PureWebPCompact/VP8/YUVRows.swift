// The planes of a row of macroblocks and the samples above them, in one array (RFC 6386, section 5).

internal import WebPFormat

/// The samples of a row of macroblocks, and of the rows above it. The planes Y, U and V follow each other:
///
///     `above`         129 │ the last line of the macroblocks above, not filtered │ the last pixel again
///                    ─────┼──────────────────────────────────────────────────────┼─────
///     `linesAbove`    129 │ the lines above, as far as they are filtered         │ 129
///                    ─────┼──────────────────────────────────────────────────────┼─────
///      16 or 8 lines  129 │ macroblocks of this row                              │ 129
///         `start`         ↑
///
/// The border has the value 129 to the left of the image and 127 above it (RFC 6386, section 12.2). Lines are longer
/// than the image is wide. The last sample of a line is the column to the left of the next line.
struct YUVRows {
  /// The minimum number of bytes after the last line. Vector reads may cross the end of the line.
  static let slack = 64

  let columns: Int
  /// The planes, and `slack` bytes after them.
  var samples: ContiguousArray<UInt8>
  /// The row of the image that is the first row of the macroblocks.
  private(set) var firstRow = 0
  private let height: Int
  let planes: Planes

  init(_ header: FrameHeader) {
    columns = header.macroblockColumns
    height = header.height
    planes = Planes(deferredRows: header.deferredRows, stride: ((16 &* columns &+ 16 &+ 63) / 64 | 1) &* 64)
    samples = .init(repeating: 129, count: planes[3].above &+ Self.slack)
    for index in 0..<rounds(3) {
      let plane = planes[index]
      for offset in plane.above &- 1..<plane.above &+ plane.stride &- 1 { samples[offset] = 127 }
    }
  }

  /// The rows of the image that this row of macroblocks finishes. The lower bound is even. The upper bound is even, or
  /// the height of the image. Two more rows of luma above them, and one of chroma, are retained for upsampling.
  var rows: Range<Int> {
    let end = firstRow &+ 16
    return max(0, firstRow &- planes.deferredRows)..<(end >= height ? height : end &- planes.deferredRows)
  }

  /// Advances to the next row of macroblocks.
  mutating func advance() {
    for index in 0..<rounds(3) {
      let plane = planes[index]
      let lines = plane.start &- plane.linesAbove &* plane.stride
      samples.move(plane.linesAbove &* plane.stride, from: lines &+ plane.size &* plane.stride, to: lines)
    }
    firstRow += 16
  }
}

/// The positions of the planes in the samples.
struct Planes {
  let deferredRows: Int
  /// The distance between lines in all planes, an odd multiple of 64. With a power of two, all lines would use the same
  /// sets of the processor's cache.
  let stride: Int

  /// The plane of Y, U or V. For index 3, `above` is the end of all planes.
  @inline(never)
  subscript(index: Int) -> Plane {
    let size = index == 0 ? 16 : 8
    let linesAbove = (deferredRows &+ 2) &* size / 16  // two more luma rows, which OutputWriter may need
    let lines = index == 0 ? 0 : deferredRows &+ 19 &+ (index &- 1) &* (linesAbove &+ 9)
    return Plane(
      start: 16 &+ (lines &+ linesAbove &+ 1) &* stride, stride: stride, size: size, linesAbove: linesAbove)
  }
}

/// The position of a plane in the samples.
struct Plane {
  /// The offset of the first line of the macroblocks.
  let start: Int
  let stride: Int
  /// The side of a macroblock: 16 or 8 pixels.
  let size: Int
  let linesAbove: Int

  /// The offset of the unfiltered line above.
  var above: Int { start &- (linesAbove &+ 1) &* stride }
}
