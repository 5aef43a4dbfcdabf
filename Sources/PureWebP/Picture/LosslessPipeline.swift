// The two halves of lossless decoding, at work at the same time:
//
//     symbols, into the ring; a copy of the rows ──▶ transforms undone, to Output
//
// On one thread, rows go from the ring to Output at once.

/// A VP8L picture from behind its prefix codes to Output.
struct LosslessPipeline {
  private var parser: LosslessParser
  private var painter: LosslessPainter
  private var conveyor: Conveyor<LosslessBatch>
  private var rowsParsed = 0
  private let threads: WebP.Threads

  init(_ parser: LosslessParser, _ transforms: InverseTransforms, height: Int, _ threads: WebP.Threads) {
    self.parser = parser
    painter = LosslessPainter(transforms)
    let share = threads.share(width: transforms.width, height: height, rowsTogether: LosslessPainter.batch)
    self.threads = share.threads
    let batch = LosslessBatch(rows: share.rows, width: transforms.codedWidth, hasRing: share.threads.count > 1)
    conveyor = Conveyor(.init(repeating: batch, count: share.batches), stages: 2)
  }

  mutating func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, output: inout Output, into pixels: inout MutableSpan<UInt8>
  ) throws(WebP.DecodeError) {
    try Self.decodeRows(
      &conveyor, &parser, &rowsParsed, &painter, threads: threads, bytes, isComplete: isComplete, output: &output,
      into: &pixels)
  }

  /// What several threads change is passed one by one, for a change of one property is a change of the whole struct.
  private static func decodeRows(
    _ conveyor: inout Conveyor<LosslessBatch>, _ parser: inout LosslessParser, _ rowsParsed: inout Int,
    _ painter: inout LosslessPainter, threads: WebP.Threads, _ bytes: Span<UInt8>, isComplete: Bool,
    output: inout Output,
    into pixels: inout MutableSpan<UInt8>
  ) throws(WebP.DecodeError) {
    // Not below the window: what is wrong there stays unseen.
    let end = output.window.rows.upperBound
    conveyor.run(threads: threads.count) { stage, batch in
      if stage == 0 {
        if batch.rows.isEmpty { batch.restart(at: rowsParsed) }
        parser.parse(&batch, end: end, bytes, isComplete: isComplete)
        rowsParsed = batch.rows.upperBound
        return !batch.rows.isEmpty && batch.isWhole(end: end)
      }
      painter.draw(&batch, of: threads.count > 1 ? batch.ring : parser.ring, output: &output, into: &pixels)
      return output.takesRows
    }
    guard output.takesRows else { return }
    // The rows before the one whose bytes have not come, or are damaged.
    let ring = threads.count > 1 ? conveyor.first.ring : parser.ring
    painter.draw(&conveyor.first, of: ring, output: &output, into: &pixels)
    if !output.isFinished, let fault = conveyor.first.fault { throw fault }
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
  ///   - rows: how many it is to keep.
  ///   - width: of the rows in the ring.
  init(rows: Int, width: Int, hasRing: Bool) {
    capacity = rows
    let size = hasRing ? rows * width : 0
    ring = RowRing(pixels: .init(repeating: 0, count: size), size: size, width: width)
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

  /// Draws all rows of `batch`, and leaves it without any.
  mutating func draw(
    _ batch: inout LosslessBatch, of ring: RowRing, output: inout Output, into pixels: inout MutableSpan<UInt8>
  ) {
    var rest = batch.rows
    while !rest.isEmpty {
      draw(rest.prefix(Self.batch), of: ring, output: &output, into: &pixels)
      rest = rest.dropFirst(Self.batch)
    }
    batch.restart(at: rest.upperBound)
  }

  private mutating func draw(
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
