// The stages of lossless decoding, at work at the same time on a batch of rows each:
//
//     symbols ──▶ pixels, into the ring; a copy of the rows ──▶ transforms undone, to Output
//     symbols, pixels, into the ring; a copy of the rows ─────▶ transforms undone, to Output
//
// The upper way is for pictures with a colour cache or with many copies: the symbols are words in between. Where nearly
// all are literals, pixels are made at once in the time that words take. On one thread, symbols become pixels at once as
// well, and the rows go from the ring to Output.

/// A VP8L picture from behind its prefix codes to Output.
struct LosslessPipeline {
  private var parser: LosslessParser
  private var ring: PixelRing
  private var painter: LosslessPainter
  private var conveyor: Conveyor<LosslessBatch>
  private var rowsParsed = 0
  private let threads: WebP.Threads
  /// Whether making pixels of symbols is a stage of its own.
  private let hasWords: Bool

  /// Of a picture whose symbols are mostly literals, the fewest bits for a pixel.
  private static let bitsOfLiterals = 6

  /// - Parameters:
  ///   - decoder: has decoded nothing yet, and can hold `rowsAtOnce` rows.
  ///   - bitCount: of the stream.
  ///   - rowsAtOnce: of a batch.
  init(_ decoder: LosslessDecoder, bitCount: Int64, _ threads: WebP.Threads, rowsAtOnce: Int) {
    parser = decoder.parser
    ring = decoder.ring
    let transforms = decoder.transforms
    painter = LosslessPainter(transforms)
    self.threads = threads
    let isShared = threads.count > 1
    let pixels = Int64(parser.entropy.width * parser.entropy.height)
    hasWords = isShared && (ring.cache.bits > 0 || bitCount < Int64(Self.bitsOfLiterals) * pixels)
    if hasWords { parser.prepareForWords() } else { parser.prepareForPixels() }
    var batches = ContiguousArray<LosslessBatch>()
    for _ in 0..<(isShared ? 4 : 1) {
      batches.append(
        LosslessBatch(capacity: rowsAtOnce, width: transforms.codedWidth, isShared: isShared, hasWords: hasWords))
    }
    conveyor = Conveyor(batches, stages: hasWords ? 3 : 2)
  }

  mutating func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, output: inout Output, into pixels: inout MutableSpan<UInt8>
  ) throws(WebP.DecodeError) {
    // Spelled out, so that where there is but one thread all that is made for words is left out.
    let hasWords = threads.count > 1 && hasWords
    try Self.decodeRows(
      &conveyor, &parser, &ring, &rowsParsed, &painter, threads: threads, hasWords: hasWords, bytes,
      isComplete: isComplete, output: &output, into: &pixels)
  }

  /// What several threads change is passed one by one, for a change of one property is a change of the whole struct.
  private static func decodeRows(
    _ conveyor: inout Conveyor<LosslessBatch>, _ parser: inout LosslessParser, _ ring: inout PixelRing,
    _ rowsParsed: inout Int, _ painter: inout LosslessPainter, threads: WebP.Threads, hasWords: Bool,
    _ bytes: Span<UInt8>, isComplete: Bool, output: inout Output, into pixels: inout MutableSpan<UInt8>
  ) throws(WebP.DecodeError) {
    let isShared = threads.count > 1
    // Not below the window: what is wrong there stays unseen.
    let end = output.window.rows.upperBound
    conveyor.run(threads: threads.count) { stage, batch in
      if stage == 0 {
        if batch.rows.range.isEmpty { batch.rows.restart(at: rowsParsed) }
        if hasWords {
          parser.parse(&batch.rows, into: &batch.symbols, end: end, bytes, isComplete: isComplete)
        } else {
          parser.parse(&batch.rows, into: &ring, end: end, bytes, isComplete: isComplete)
          if isShared { batch.copyRows(from: rowsParsed, of: ring.rows) }
        }
        rowsParsed = batch.rows.range.upperBound
        return !batch.rows.range.isEmpty && batch.rows.areWhole(end: end)
      }
      if hasWords, stage == 1 {
        batch.makePixels(&ring)
        return true
      }
      painter.draw(&batch.rows, of: isShared ? batch.ring : ring.rows, output: &output, into: &pixels)
      return output.takesRows
    }
    guard output.takesRows else { return }
    // The rows before the one whose bytes have not come, or are damaged.
    if hasWords { conveyor.first.makePixels(&ring) }
    let rows = isShared ? conveyor.first.ring : ring.rows
    painter.draw(&conveyor.first.rows, of: rows, output: &output, into: &pixels)
    if !output.isFinished, let fault = conveyor.first.rows.fault { throw fault }
  }
}

/// Takes rows through the transforms to Output.
private struct LosslessPainter {
  private var transforms: InverseTransforms
  /// Rows in R G B A bytes, where Output does not take them where they belong.
  private var scratch: ContiguousArray<UInt8> = []

  init(_ transforms: InverseTransforms) {
    self.transforms = transforms
  }

  /// Draws all rows, and leaves none.
  mutating func draw(
    _ rows: inout ParsedRows, of ring: RowRing, output: inout Output, into pixels: inout MutableSpan<UInt8>
  ) {
    var rest = rows.range
    while !rest.isEmpty {
      draw(rest.prefix(InverseTransforms.batch), of: ring, output: &output, into: &pixels)
      rest = rest.dropFirst(InverseTransforms.batch)
    }
    rows.restart(at: rest.upperBound)
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
    if scratch.isEmpty { scratch = .init(repeating: 0, count: InverseTransforms.batch * stride) }
    var target = scratch.mutableSpan
    transforms.undo(rows, of: ring, into: &target, offset: 0, stride: stride)
    output.write(rgba: scratch.span, stride: stride, rows: rows, into: &pixels)
  }
}
