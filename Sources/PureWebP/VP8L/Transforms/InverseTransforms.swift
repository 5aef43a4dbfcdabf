// Undoing the transforms (RFC 9649, section 3.5), the last one first.
//
// All but the predictor change each row by itself. A row goes through those behind the predictor on its way from the
// ring to `current`, and through those before it on its way to the output, from line to line where there are several:
//
//   ring ──▶ line ──▶ current ──▶ line ──▶ output
//
//   current    ├ margin ┼ row above ┼ rows … ┼ margin ┤
//
// The predictor works in place, on a few rows at a time, and needs the row above as it left it.

/// The second stage of lossless decoding: it needs the ring's rows, and nothing else of the first.
struct InverseTransforms {
  /// In the order in which they were read.
  let transforms: ContiguousArray<Transform>
  /// The width of the picture, and that of the rows in the ring.
  let width: Int
  let codedWidth: Int
  /// The most rows that are taken through the steps together: as many as `addPredictions` works on at a time.
  static let batch = 8

  /// Which of the transforms is the predictor, if one is.
  private let predictor: Int?
  /// What the predictor works on; allocated when it does. And where its rows start.
  private var current = ContiguousArray<UInt32>()
  private let currentCount: Int
  private let origin: Int
  /// The last row as the predictor left it.
  private var above = ContiguousArray<UInt32>()
  /// Allocated when a row goes through two steps, or three.
  private var line = ContiguousArray<UInt32>()
  private var nextLine = ContiguousArray<UInt32>()

  init(transforms: ContiguousArray<Transform>, width: Int, height: Int, codedWidth: Int) {
    self.transforms = transforms
    self.width = width
    self.codedWidth = codedWidth
    predictor = transforms.firstIndex { if case .predictor = $0.kind { true } else { false } }
    origin = width + predictionMargin
    currentCount = origin + width * min(Self.batch, height) + predictionMargin
  }

  /// The same as for a `RowRing`, for rows that lie one after the other from `start` on.
  private mutating func undo(
    _ rows: Range<Int>, of ring: ContiguousArray<UInt32>, from start: Int, into pixels: inout MutableSpan<UInt8>,
    offset: Int, stride: Int
  ) {
    let source = Rows(start: start, stride: codedWidth)
    let output = Rows(start: offset, stride: stride)
    guard let predictor, case .predictor(let modes, let blockBits) = transforms[predictor].kind else {
      undo(transforms.indices, rows, ring.span, source, &pixels, output)
      return
    }
    let width = transforms[predictor].width
    // Out of `self`, which is changed as a whole.
    var current = self.current
    self.current = []
    defer { self.current = current }
    if current.isEmpty { current = ContiguousArray(repeating: 0, count: currentCount) }
    var target = current.mutableSpan
    undo(
      predictor + 1..<transforms.count, rows, ring.span, source, &target, Rows(start: 4 * origin, stride: 4 * width))
    predict(rows, in: &current, width: width, modes, blockBits)
    undo(0..<predictor, rows, current.span, Rows(start: origin, stride: width), &pixels, output)
  }

  /// Undoes the predictor.
  private mutating func predict(
    _ rows: Range<Int>, in buffer: inout ContiguousArray<UInt32>, width: Int, _ modes: ContiguousArray<UInt8>,
    _ blockBits: Int
  ) {
    if above.isEmpty { above = ContiguousArray(repeating: 0, count: width) }
    var pixels = buffer.mutableSpan
    pixels.copyPixels(width, from: above.span, at: 0, to: 4 * (origin - width))
    addPredictions(rows, in: &pixels, at: origin, width: width, modes: modes.span, blockBits: blockBits)
    let last = origin + (rows.count - 1) * width
    var above = above.mutableSpan
    above.copyPixels(width, from: pixels.span, at: last, to: 0)
  }

  /// Where rows are: in pixels for a source, in bytes for a target.
  private struct Rows {
    let start: Int
    let stride: Int
    func row(_ index: Int) -> Int { start + index * stride }
  }

  /// Undoes those of the transforms that are `steps`: none is the predictor.
  private mutating func undo<Target: BitwiseCopyable>(
    _ steps: Range<Int>, _ rows: Range<Int>, _ source: Span<UInt32>, _ sourceRows: Rows,
    _ target: inout MutableSpan<Target>, _ targetRows: Rows
  ) {
    if steps.isEmpty {
      for row in 0..<rows.count {
        target.copyPixels(sourceRows.stride, from: source, at: sourceRows.row(row), to: targetRows.row(row))
      }
      return
    }
    // Out of `self`, for spans of two of its properties would count as overlapping.
    var (line, nextLine) = (self.line, self.nextLine)
    (self.line, self.nextLine) = ([], [])
    defer { (self.line, self.nextLine) = (line, nextLine) }
    if steps.count > 1, line.isEmpty { line = ContiguousArray(repeating: 0, count: width) }
    if steps.count > 2, nextLine.isEmpty { nextLine = line }
    let (first, last) = (transforms[steps.upperBound - 1], transforms[steps.lowerBound])
    for row in 0..<rows.count {
      let (y, from, to) = (rows.lowerBound + row, sourceRows.row(row), targetRows.row(row))
      if steps.count == 1 {
        Self.undo(first, y, source, from, &target, to)
        continue
      }
      var lineSpan = line.mutableSpan
      Self.undo(first, y, source, from, &lineSpan, 0)
      for step in steps.dropFirst().dropLast().reversed() {
        var nextSpan = nextLine.mutableSpan
        Self.undo(transforms[step], y, line.span, 0, &nextSpan, 0)
        swap(&line, &nextLine)
      }
      Self.undo(last, y, line.span, 0, &target, to)
    }
  }

  /// Undoes a transform that changes row y by itself. There is much of it: not in each place that calls it.
  @inline(never)
  private static func undo<Target: BitwiseCopyable>(
    _ transform: Transform, _ y: Int, _ source: Span<UInt32>, _ from: Int, _ target: inout MutableSpan<Target>,
    _ to: Int
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

extension InverseTransforms {
  /// Writes `rows` of the picture, `batch` at the most and the ones behind those of the last call, as R G B A bytes.
  ///
  /// - Parameters:
  ///   - ring: holds the rows.
  ///   - offset: where the first row goes in `pixels`; the others follow with `stride` bytes from one to the next.
  mutating func undo(
    _ rows: Range<Int>, of ring: RowRing, into pixels: inout MutableSpan<UInt8>, offset: Int, stride: Int
  ) {
    var rest = rows
    while !rest.isEmpty {
      let (start, count) = ring.place(of: rest)
      let here = rest.prefix(count)
      undo(
        here, of: ring.pixels, from: start, into: &pixels,
        offset: offset + (here.lowerBound - rows.lowerBound) * stride, stride: stride)
      rest = rest.dropFirst(count)
    }
  }
}
