// The inverse transforms (RFC 9649, section 3.5), in reverse order.
//
// All transforms except the predictor work on single rows. Transforms that follow the predictor in the stream are
// inverted between the ring and `current`. Transforms that precede it are inverted between `current` and the output. If
// several transforms are inverted between two of these, they need intermediate lines:
//
//     ring ──▶ line ──▶ current ──▶ line ──▶ output
//
//     current    ├ margin ┼ row above ┼ rows … ┼ margin ┤
//
// The predictor works in place on a few rows at a time. It also needs its own result for the row above.

internal import WebPFormat

/// The last stage of lossless decoding. It depends only on the rows of the ring.
struct InverseTransforms {
  /// In the order in which they were read.
  let transforms: ContiguousArray<Transform>
  /// The width of the image, and the width of the rows in the ring.
  let width: Int
  let codedWidth: Int
  /// The maximum number of rows that are transformed in one call. It equals the number of rows that `addPredictions`
  /// processes together.
  static let batch = 8

  /// The index of the predictor transform, if there is one.
  private let predictor: Int?
  /// The rows that the predictor works on, and the index of the first one. Allocated on first use.
  private var current = ContiguousArray<UInt32>()
  private let currentCount: Int
  private let origin: Int
  /// The predictor's result for the last row.
  private var above = ContiguousArray<UInt32>()
  /// Intermediate lines. Allocated if a row goes through two or three transforms.
  private var line = ContiguousArray<UInt32>()
  private var nextLine = ContiguousArray<UInt32>()
  /// Rows in R G B A bytes, for an OutputWriter that does not provide their destination.
  var scratch = ContiguousArray<UInt8>()

  init(transforms: ContiguousArray<Transform>, width: Int, height: Int, codedWidth: Int) {
    self.transforms = transforms
    self.width = width
    self.codedWidth = codedWidth
    predictor = transforms.firstIndex { if case .predictor = $0.kind { true } else { false } }
    origin = width + predictionMargin
    currentCount = origin + width * min(Self.batch, height) + predictionMargin
  }

  /// Writes `rows` of the image as R G B A bytes. They are at most `batch` rows and follow the rows of the last call.
  ///
  /// - Parameters:
  ///   - ring: contains the rows.
  ///   - offset: the offset of the first row in `pixels`. Rows are `stride` bytes apart.
  mutating func undo(
    _ rows: Range<Int>, of ring: RowRing, into pixels: inout MutableSpan<UInt8>, offset: Int, stride: Int
  ) {
    var rest = rows
    while !rest.isEmpty {
      let (start, count) = ring.position(of: rest)
      let here = rest.prefix(count)
      undoContiguous(
        here, of: ring.pixels, from: start, into: &pixels,
        offset: offset + (here.lowerBound - rows.lowerBound) * stride, stride: stride)
      rest = rest.dropFirst(count)
    }
  }

  /// Same as `undo`, for rows that are contiguous from `start` on.
  private mutating func undoContiguous(
    _ rows: Range<Int>, of ring: ContiguousArray<UInt32>, from start: Int, into pixels: inout MutableSpan<UInt8>,
    offset: Int, stride: Int
  ) {
    let source = Rows(start: start, stride: codedWidth)
    let output = Rows(start: offset, stride: stride)
    guard let predictor, case .predictor(let modes, let blockBits) = transforms[predictor].kind else {
      pixels.withRawSpan { undoSteps(transforms.indices, rows, ring.span, source, &$0, output) }
      return
    }
    let width = transforms[predictor].width
    var current = current.moved()
    defer { self.current = current }
    if current.isEmpty { current = ContiguousArray(filledWith: 0, count: currentCount) }
    var target = current.mutableSpan
    let targetRows = Rows(start: 4 * origin, stride: 4 * width)
    target.withRawSpan { undoSteps(predictor + 1..<transforms.count, rows, ring.span, source, &$0, targetRows) }
    undoPredictor(rows, in: &current, width: width, modes, blockBits)
    pixels.withRawSpan {
      undoSteps(0..<predictor, rows, current.span, Rows(start: origin, stride: width), &$0, output)
    }
  }

  /// Undoes the predictor.
  private mutating func undoPredictor(
    _ rows: Range<Int>, in buffer: inout ContiguousArray<UInt32>, width: Int, _ modes: ContiguousArray<UInt8>,
    _ blockBits: Int
  ) {
    if above.isEmpty { above = ContiguousArray(filledWith: 0, count: width) }
    var pixels = buffer.mutableSpan
    pixels.copyPixels(width, from: above.span, at: 0, to: 4 * (origin - width))
    addPredictions(rows, in: &pixels, at: origin, width: width, modes: modes.span, blockBits: blockBits)
    let last = origin + (rows.count - 1) * width
    var above = above.mutableSpan
    above.copyPixels(width, from: pixels.span, at: last, to: 0)
  }

  /// The position of rows: in pixels for a source, in bytes for a target.
  private struct Rows {
    let start: Int
    let stride: Int
    func row(_ index: Int) -> Int { start + index * stride }
  }

  /// Undoes the transforms `steps`, the last one first. They must not include the predictor.
  @inline(never)  // several callers
  private mutating func undoSteps(
    _ steps: Range<Int>, _ rows: Range<Int>, _ source: Span<UInt32>, _ sourceRows: Rows,
    _ target: inout MutableRawSpan, _ targetRows: Rows
  ) {
    if steps.isEmpty {
      for row in 0..<rows.count {
        target.copyPixels(sourceRows.stride, from: source, at: sourceRows.row(row), to: targetRows.row(row))
      }
      return
    }
    var (line, nextLine) = (line.moved(), nextLine.moved())
    defer { (self.line, self.nextLine) = (line, nextLine) }
    if steps.count > 1, line.isEmpty { line = ContiguousArray(filledWith: 0, count: width) }
    if steps.count > 2, nextLine.isEmpty { nextLine = line }
    let (first, last) = (transforms[steps.upperBound - 1], transforms[steps.lowerBound])
    for row in 0..<rows.count {
      let (y, from, to) = (rows.lowerBound + row, sourceRows.row(row), targetRows.row(row))
      if steps.count == 1 {
        Self.undoRow(first, y, source, from, &target, to)
        continue
      }
      Self.undoRow(first, y, source, from, into: &line)
      for step in steps.dropFirst().dropLast().reversed() {
        Self.undoRow(transforms[step], y, line.span, 0, into: &nextLine)
        swap(&line, &nextLine)
      }
      Self.undoRow(last, y, line.span, 0, &target, to)
    }
  }

  private static func undoRow(
    _ transform: Transform, _ y: Int, _ source: Span<UInt32>, _ from: Int, into line: inout ContiguousArray<UInt32>
  ) {
    var target = line.mutableSpan
    target.withRawSpan { undoRow(transform, y, source, from, &$0, 0) }
  }

  /// Undoes a transform of row y. Not inlined, because of its size.
  @inline(never)
  private static func undoRow(
    _ transform: Transform, _ y: Int, _ source: Span<UInt32>, _ from: Int, _ target: inout MutableRawSpan, _ to: Int
  ) {
    let width = transform.width
    switch transform.kind {
    case .predictor: preconditionFailure("needs the row above")
    case .subtractGreen: addGreen(width, from: source, at: from, to: &target, at: to)
    case .color(let elements, let blockBits):
      let count = blocks(in: width, bits: blockBits)
      let first = y >> blockBits * count
      addColors(
        width, from: source, at: from, to: &target, at: to, elements: elements.span.extracting(first..<first + count),
        blockBits: blockBits)
    case .colorIndexing(let palette):
      mapColors(
        width, from: source, at: from, to: &target, at: to, colors: palette.colors.span, widthBits: palette.widthBits)
    }
  }
}
