// Undoing the transforms (RFC 9649, section 3.5), a few rows at a time, the last transform first.
//
// Each step takes the rows from where they are to the next place. The last one writes the output:
//
//   ring ──▶ current ──▶ spare ──▶ … ──▶ output
//              ▲ └──────── swapped ┘
//
//   current, spare    ├ margin ┼ row above ┼ rows … ┼ margin ┤
//
// The predictor works in place, and needs the row above as it left it.

/// The second stage of lossless decoding: it needs the ring's rows, and nothing else of the first.
struct InverseTransforms {
  /// In the order in which they were read.
  let transforms: ContiguousArray<Transform>
  /// The width of the picture, and that of the rows in the ring.
  let width: Int
  let codedWidth: Int
  /// The most rows that are taken through the steps together: as many as `addPredictions` works on at a time.
  static let batch = 8

  /// Pixels of the rows being worked on, and of the next step's; allocated when a step needs them.
  private var current = ContiguousArray<UInt32>()
  private var spare = ContiguousArray<UInt32>()
  private let bufferCount: Int
  /// Where the rows start in a buffer.
  private let origin: Int
  /// The last row as the predictor left it.
  private var above = ContiguousArray<UInt32>()

  init(transforms: ContiguousArray<Transform>, width: Int, height: Int, codedWidth: Int) {
    self.transforms = transforms
    self.width = width
    self.codedWidth = codedWidth
    origin = width + predictionMargin
    bufferCount = origin + width * min(Self.batch, height) + predictionMargin
  }

  /// Writes `rows` of the picture, `batch` at the most, as R G B A bytes.
  ///
  /// - Parameters:
  ///   - ring: holds the rows one after the other from `start` on.
  ///   - offset: where the first row goes in `pixels`; the others follow with `stride` bytes from one to the next.
  mutating func undo(
    _ rows: Range<Int>, of ring: ContiguousArray<UInt32>, from start: Int, into pixels: inout MutableSpan<UInt8>,
    offset: Int,
    stride: Int
  ) {
    // Out of `self`, for spans of two of its properties would count as overlapping.
    var (current, spare) = (self.current, self.spare)
    (self.current, self.spare) = ([], [])
    defer { (self.current, self.spare) = (current, spare) }

    var source = Rows(start: start, stride: codedWidth)
    let output = Rows(start: offset, stride: stride)
    var isInRing = true
    for index in transforms.indices.reversed() {
      let transform = transforms[index]
      let width = transform.width
      let buffered = Rows(start: 4 * origin, stride: 4 * width)
      if case .predictor(let modes, let blockBits) = transform.kind {
        if isInRing {
          allocate(&current)
          var target = current.mutableSpan
          Self.copy(rows.count, ring.span, source, &target, buffered, width: width)
          isInRing = false
        }
        predict(rows, in: &current, width: width, modes, blockBits)
        source = Rows(start: origin, stride: width)
      } else if index > 0 {
        allocate(&spare)
        var target = spare.mutableSpan
        if isInRing {
          Self.undo(transform, rows, ring.span, source, &target, buffered)
        } else {
          Self.undo(transform, rows, current.span, source, &target, buffered)
        }
        swap(&current, &spare)
        source = Rows(start: origin, stride: width)
        isInRing = false
      } else {
        if isInRing {
          Self.undo(transform, rows, ring.span, source, &pixels, output)
        } else {
          Self.undo(transform, rows, current.span, source, &pixels, output)
        }
        return
      }
    }
    if isInRing {
      Self.copy(rows.count, ring.span, source, &pixels, output, width: width)
    } else {
      Self.copy(rows.count, current.span, source, &pixels, output, width: width)
    }
  }

  private func allocate(_ buffer: inout ContiguousArray<UInt32>) {
    if buffer.isEmpty { buffer = ContiguousArray(repeating: 0, count: bufferCount) }
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

  private static func copy<Target: BitwiseCopyable>(
    _ count: Int, _ source: Span<UInt32>, _ sourceRows: Rows, _ target: inout MutableSpan<Target>, _ targetRows: Rows,
    width: Int
  ) {
    for row in 0..<count {
      target.copyPixels(width, from: source, at: sourceRows.row(row), to: targetRows.row(row))
    }
  }

  /// Undoes a transform that does not work in place.
  private static func undo<Target: BitwiseCopyable>(
    _ transform: Transform, _ rows: Range<Int>, _ source: Span<UInt32>, _ sourceRows: Rows,
    _ target: inout MutableSpan<Target>, _ targetRows: Rows
  ) {
    let width = transform.width
    for row in 0..<rows.count {
      let (from, to) = (sourceRows.row(row), targetRows.row(row))
      switch transform.kind {
      case .predictor: preconditionFailure("works in place")
      case .subtractGreen: addGreen(width, from: source, at: from, to: &target, at: to)
      case .color(let elements, let blockBits):
        let count = blocks(in: width, bits: blockBits)
        let first = (rows.lowerBound + row) >> blockBits * count
        addColors(
          width, from: source, at: from, to: &target, at: to, elements: elements.span.extracting(first..<first + count),
          blockBits: blockBits)
      case .colorIndexing(let palette):
        mapColors(
          width, from: source, at: from, to: &target, at: to, colors: palette.colors.span, widthBits: palette.widthBits)
      }
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
