// The stages of lossless decoding, which work at the same time on one batch of rows each:
//
//     symbols ──▶ pixels, into the ring; a copy of the rows ──▶ inverse transforms, to the OutputWriter
//     symbols, pixels, into the ring; a copy of the rows ─────▶ inverse transforms, to the OutputWriter
//
// The upper pipeline is for images with a color cache or with many backward references. Its first stage passes packed
// symbols to the second. If nearly all symbols are literals, decoding them into pixels takes as little time as packing
// them, so the lower pipeline does both in one stage. On one thread, symbols also become pixels immediately, and the
// rows are transformed without a copy.

internal import WebPFormat

/// Decodes the pixels of a VP8L image, from its symbols to the OutputWriter.
final class LosslessPipeline: CopiedOnWrite {
  private let threads: WebP.Threads
  private let packsSymbols: Bool
  // The state of the stages. No stage accesses a property that another stage changes, so threads can run the stages at
  // the same time.
  private var parser: LosslessParser
  private var rowsParsed: Int
  private var ring: PixelRing
  private var transforms: InverseTransforms
  private var pipeline: StagedPipeline<LosslessBatch>

  /// The minimum bits per pixel of an image whose symbols are mostly literals.
  private static let bitsOfLiterals = 6

  /// - Parameters:
  ///   - bitCount: the length of the stream.
  ///   - batchRows: the number of rows in a batch.
  init(_ parameters: LosslessParameters, bitCount: Int64, _ threads: WebP.Threads, batchRows: Int) {
    let isShared = threads.count > 1
    let pixels = Int64(parameters.entropy.width * parameters.entropy.height)
    packsSymbols = isShared && (parameters.cache.sizeBits > 0 || bitCount < Int64(Self.bitsOfLiterals) * pixels)
    self.threads = threads
    parser = LosslessParser(parameters, packsSymbols: packsSymbols)
    rowsParsed = 0
    ring = parameters.ring(bufferedRows: batchRows)
    transforms = parameters.transforms
    var batches = ContiguousArray<LosslessBatch>()
    for _ in 0..<(isShared ? 4 : 1) {
      batches.append(
        LosslessBatch(
          capacity: batchRows, width: parameters.transforms.codedWidth, isShared: isShared, packsSymbols: packsSymbols))
    }
    pipeline = StagedPipeline(batches, stages: packsSymbols ? 3 : 2)
  }

  init(copying other: LosslessPipeline) {
    threads = other.threads
    packsSymbols = other.packsSymbols
    parser = other.parser
    rowsParsed = other.rowsParsed
    ring = other.ring
    transforms = other.transforms
    pipeline = other.pipeline
  }

  func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, _ output: inout OutputWriter, into pixels: inout MutableSpan<UInt8>
  ) throws(WebP.DecodeError) {
    let isShared = threads.count > 1
    // If the platform has no threads, `isShared` is constant, and the compiler removes the code for packed symbols.
    let packsSymbols = isShared && packsSymbols
    // Rows below the crop are not decoded, so errors there are not reported.
    let end = output.window.rows.upperBound
    // Inout, because each access to a property of an object is checked at run time.
    func decode(
      _ parser: inout LosslessParser, _ rowsParsed: inout Int, _ ring: inout PixelRing,
      _ transforms: inout InverseTransforms, _ pipeline: inout StagedPipeline<LosslessBatch>
    ) throws(WebP.DecodeError) {
      // Not inlined, because `run` calls it in two loops.
      @inline(never) func perform(_ stage: Int, on batch: inout LosslessBatch) -> Bool {
        if stage == 0 {
          if batch.rows.range.isEmpty { batch.rows.restart(at: rowsParsed) }
          if packsSymbols {
            parser.parse(&batch.rows, into: &batch.symbols, end: end, bytes, isComplete: isComplete)
          } else {
            parser.parse(&batch.rows, into: &ring, end: end, bytes, isComplete: isComplete)
            if isShared { batch.copyRows(from: rowsParsed, of: ring.rows) }
          }
          rowsParsed = batch.rows.range.upperBound
          return !batch.rows.range.isEmpty && batch.rows.areComplete(end: end)
        }
        if packsSymbols, stage == 1 {
          batch.unpack(&ring)
          return true
        }
        transforms.write(&batch.rows, of: isShared ? batch.ring : ring.rows, &output, into: &pixels)
        return output.acceptsRows
      }
      pipeline.run(threads: threads.count, perform)
      guard output.acceptsRows else { return }
      // Writes the incomplete batch: the rows before the first one that is corrupt or whose bytes have not arrived.
      if packsSymbols { pipeline.first.unpack(&ring) }
      let rows = isShared ? pipeline.first.ring : ring.rows
      transforms.write(&pipeline.first.rows, of: rows, &output, into: &pixels)
      if output.acceptsRows, let fault = pipeline.first.rows.fault { throw fault }
    }
    try decode(&parser, &rowsParsed, &ring, &transforms, &pipeline)
  }

  /// See `LosslessParser`.
  func releaseConsumedBytes(atLeast count: Int) -> Range<Int>? {
    parser.releaseConsumedBytes(atLeast: count)
  }
}

extension InverseTransforms {
  /// Transforms rows and passes them to the OutputWriter, as long as it accepts rows. Leaves the remaining rows.
  fileprivate mutating func write(
    _ rows: inout ParsedRows, of ring: RowRing, _ output: inout OutputWriter, into pixels: inout MutableSpan<UInt8>
  ) {
    while !rows.range.isEmpty, output.acceptsRows {
      write(rows.range.prefix(Self.batch), of: ring, &output, into: &pixels)
      rows.removeFirst(Self.batch)
    }
  }

  private mutating func write(
    _ rows: Range<Int>, of ring: RowRing, _ output: inout OutputWriter, into pixels: inout MutableSpan<UInt8>
  ) {
    if let position = output.directRows(from: rows.lowerBound) {
      undo(rows, of: ring, into: &pixels, offset: position.offset, stride: position.stride)
      output.skip(rows: rows)
      return
    }
    let stride = 4 * width
    var scratch = scratch.moved()
    defer { self.scratch = scratch }
    if scratch.isEmpty { scratch = .init(filledWith: 0, count: Self.batch * stride) }
    var target = scratch.mutableSpan
    undo(rows, of: ring, into: &target, offset: 0, stride: stride)
    output.write(rgba: scratch.span, stride: stride, rows: rows, into: &pixels)
  }
}
