// The two halves of lossless decoding, at work at the same time:
//
//   one thread       symbols, into the ring; front: a copy of the rows ──┐    both are done: front and back
//   another          back: transforms undone, to Output ─────────────────┘    change places
//
// On one thread, rows go from the ring to Output at once.

/// A VP8L picture from behind its prefix codes to Output.
struct LosslessPipeline {
  private var parser: LosslessParser
  private var painter: LosslessPainter
  private var front: LosslessBatch
  private var back: LosslessBatch
  private let threads: WebP.Threads

  init(_ parser: LosslessParser, _ transforms: InverseTransforms, height: Int, _ threads: WebP.Threads) {
    self.parser = parser
    painter = LosslessPainter(transforms)
    let rows = threads.rowsAtOnce(width: transforms.width, height: height, isLossy: false)
    self.threads = rows == nil ? .one : threads
    front = LosslessBatch(rows: rows ?? 0, width: transforms.codedWidth)
    back = LosslessBatch(rows: rows ?? 0, width: transforms.codedWidth)
  }

  mutating func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, output: inout Output, into pixels: inout MutableSpan<UInt8>
  ) throws(WebP.DecodeError) {
    while !output.isFinished {
      // Not below the window: what is wrong there stays unseen.
      let end = output.window.rows.upperBound
      if threads.count > 1, !back.rows.isEmpty {
        concurrently(
          threads: threads.count,
          { parser.parse(&front, end: end, bytes, isComplete: isComplete) },
          { painter.draw(back.rows, of: back.ring, output: &output, into: &pixels) })
        back.restart(at: front.rows.upperBound)
      } else {
        parser.parse(&front, end: end, bytes, isComplete: isComplete)
      }
      let goesOn = front.isWhole(end: end)
      if goesOn, threads.count > 1 {
        back.restart(at: front.rows.upperBound)
        swap(&front, &back)
        continue
      }
      painter.draw(front.rows, of: threads.count > 1 ? front.ring : parser.ring, output: &output, into: &pixels)
      front.restart(at: front.rows.upperBound)
      if goesOn || output.isFinished { continue }
      if let fault = front.fault { throw fault }
      return
    }
  }
}

/// Rows that have been parsed, and are to be drawn together.
private struct LosslessBatch {
  /// Without room where rows stay in the parser's ring.
  private(set) var ring: RowRing
  private(set) var rows = 0..<0
  /// What is wrong with the rows behind.
  private(set) var fault: WebP.DecodeError?
  private let capacity: Int

  /// - Parameters:
  ///   - rows: about how many it is to keep. 0: it only says which they are.
  ///   - width: of the rows in the ring.
  init(rows: Int, width: Int) {
    let height = (rows + LosslessPainter.batch - 1) / LosslessPainter.batch * LosslessPainter.batch
    capacity = max(height, LosslessPainter.batch)
    ring = RowRing(pixels: .init(repeating: 0, count: height * width), size: height * width, width: width)
  }

  /// Whether it holds as many as it may, and nothing is wrong.
  ///
  /// - Parameter end: where the rows end that are wanted.
  func isWhole(end: Int) -> Bool { (rows.count == capacity || rows.upperBound == end) && fault == nil }

  mutating func restart(at row: Int) {
    rows = row..<row
  }

  mutating func add(rowsUpTo end: Int, from source: RowRing) {
    if ring.size > 0 { ring.copy(rows.upperBound..<end, from: source) }
    rows = rows.lowerBound..<end
  }

  mutating func end(with fault: WebP.DecodeError) {
    self.fault = fault
  }
}

extension LosslessParser {
  /// Decodes rows until the batch is full, the bytes that have come are used up, or one is damaged.
  fileprivate mutating func parse(_ batch: inout LosslessBatch, end: Int, _ bytes: Span<UInt8>, isComplete: Bool) {
    while !batch.isWhole(end: end) {
      let next = min(batch.rows.upperBound + LosslessPainter.batch, end)
      do throws(WebP.DecodeError) {
        guard try decodeRows(upTo: next, bytes, isComplete: isComplete) >= next else { return }
      } catch {
        return batch.end(with: error)
      }
      batch.add(rowsUpTo: next, from: ring)
    }
  }
}

/// Makes pixels of rows.
private struct LosslessPainter {
  private var transforms: InverseTransforms
  /// Rows in R G B A bytes, where Output does not take them where they belong.
  private var scratch: ContiguousArray<UInt8> = []

  /// Rows are handed on in batches that end at multiples of this, as libwebp does.
  static let batch = InverseTransforms.batch

  init(_ transforms: InverseTransforms) {
    self.transforms = transforms
  }

  mutating func draw(
    _ rows: Range<Int>, of ring: RowRing, output: inout Output, into pixels: inout MutableSpan<UInt8>
  ) {
    var rest = rows
    while !rest.isEmpty {
      drawBatch(rest.prefix(Self.batch), of: ring, output: &output, into: &pixels)
      rest = rest.dropFirst(Self.batch)
    }
  }

  private mutating func drawBatch(
    _ rows: Range<Int>, of ring: RowRing, output: inout Output, into pixels: inout MutableSpan<UInt8>
  ) {
    if let place = output.directRows(from: rows.lowerBound) {
      transforms.undo(rows, of: ring, into: &pixels, offset: place.offset, stride: place.stride)
      output.skip(rows: rows)
      return
    }
    let stride = 4 * transforms.width
    // Out of `self`, for spans of two of its properties would count as overlapping.
    var scratch = self.scratch
    self.scratch = []
    defer { self.scratch = scratch }
    if scratch.isEmpty { scratch = .init(repeating: 0, count: Self.batch * stride + YUVRows.slack) }
    var target = scratch.mutableSpan
    transforms.undo(rows, of: ring, into: &target, offset: 0, stride: stride)
    output.write(rgba: scratch.span, stride: stride, rows: rows, into: &pixels)
  }
}
