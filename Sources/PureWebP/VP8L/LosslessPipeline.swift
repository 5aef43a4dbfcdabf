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
  /// The state of the stages. No stage accesses an element that another stage changes, so threads can run the stages at
  /// the same time. A tuple, because a struct takes code for operations that are never used.
  private typealias Stages = (
    threads: WebP.Threads, packsSymbols: Bool, parser: LosslessParser, rowsParsed: Int, ring: PixelRing,
    rowWriter: LosslessRowWriter
  )

  private var stages: Stages
  private var pipeline: StagedPipeline<LosslessBatch>

  /// The minimum bits per pixel of an image whose symbols are mostly literals.
  private static let bitsOfLiterals = 6

  /// - Parameters:
  ///   - bitCount: the length of the stream.
  ///   - batchRows: the number of rows in a batch.
  init(_ parameters: LosslessParameters, bitCount: Int64, _ threads: WebP.Threads, batchRows: Int) {
    let isShared = threads.count > 1
    let pixels = Int64(parameters.entropy.width * parameters.entropy.height)
    let packsSymbols = isShared && (parameters.cache.sizeBits > 0 || bitCount < Int64(Self.bitsOfLiterals) * pixels)
    stages = (
      threads: threads, packsSymbols: packsSymbols, parser: LosslessParser(parameters, packsSymbols: packsSymbols),
      rowsParsed: 0, ring: parameters.ring(bufferedRows: batchRows),
      rowWriter: LosslessRowWriter(parameters.transforms)
    )
    var batches = ContiguousArray<LosslessBatch>()
    for _ in 0..<(isShared ? 4 : 1) {
      batches.append(
        LosslessBatch(
          capacity: batchRows, width: parameters.transforms.codedWidth, isShared: isShared, packsSymbols: packsSymbols))
    }
    pipeline = StagedPipeline(batches, stages: packsSymbols ? 3 : 2)
  }

  init(copying other: LosslessPipeline) {
    stages = other.stages
    pipeline = other.pipeline
  }

  func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, _ output: inout OutputWriter, into pixels: inout MutableSpan<UInt8>
  ) throws(WebP.DecodeError) {
    try Self.decodeRows(bytes, isComplete: isComplete, &stages, &pipeline, &output, into: &pixels)
  }

  private static func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, _ stages: inout Stages, _ pipeline: inout StagedPipeline<LosslessBatch>,
    _ output: inout OutputWriter, into pixels: inout MutableSpan<UInt8>
  ) throws(WebP.DecodeError) {
    let isShared = stages.threads.count > 1
    // If the platform has no threads, `isShared` is constant, and the compiler removes the code for packed symbols.
    let packsSymbols = isShared && stages.packsSymbols
    // Rows below the crop are not decoded, so errors there are not reported.
    let end = output.window.rows.upperBound
    pipeline.run(threads: stages.threads.count) { stage, batch in
      if stage == 0 {
        if batch.rows.range.isEmpty { batch.rows.restart(at: stages.rowsParsed) }
        if packsSymbols {
          stages.parser.parse(&batch.rows, into: &batch.symbols, end: end, bytes, isComplete: isComplete)
        } else {
          stages.parser.parse(&batch.rows, into: &stages.ring, end: end, bytes, isComplete: isComplete)
          if isShared { batch.copyRows(from: stages.rowsParsed, of: stages.ring.rows) }
        }
        stages.rowsParsed = batch.rows.range.upperBound
        return !batch.rows.range.isEmpty && batch.rows.areComplete(end: end)
      }
      if packsSymbols, stage == 1 {
        batch.unpack(&stages.ring)
        return true
      }
      stages.rowWriter.write(&batch.rows, of: isShared ? batch.ring : stages.ring.rows, &output, into: &pixels)
      return output.acceptsRows
    }
    guard output.acceptsRows else { return }
    // Writes the incomplete batch: the rows before the first one that is corrupt or whose bytes have not arrived.
    if packsSymbols { pipeline.first.unpack(&stages.ring) }
    let rows = isShared ? pipeline.first.ring : stages.ring.rows
    stages.rowWriter.write(&pipeline.first.rows, of: rows, &output, into: &pixels)
    if !output.isFinished, let fault = pipeline.first.rows.fault { throw fault }
  }

  /// See `LosslessParser`.
  func releaseConsumedBytes(atLeast count: Int) -> Range<Int>? {
    stages.parser.releaseConsumedBytes(atLeast: count)
  }
}

/// Applies the inverse transforms to rows and passes them to the OutputWriter.
private struct LosslessRowWriter {
  private var transforms: InverseTransforms
  /// Rows in R G B A bytes, if the OutputWriter does not provide their destination.
  private var scratch: ContiguousArray<UInt8> = []

  init(_ transforms: InverseTransforms) {
    self.transforms = transforms
  }

  /// Transforms and writes all rows, and leaves the range empty.
  mutating func write(
    _ rows: inout ParsedRows, of ring: RowRing, _ output: inout OutputWriter, into pixels: inout MutableSpan<UInt8>
  ) {
    var remaining = rows.range
    while !remaining.isEmpty {
      write(remaining.prefix(InverseTransforms.batch), of: ring, &output, into: &pixels)
      remaining = remaining.dropFirst(InverseTransforms.batch)
    }
    rows.restart(at: remaining.upperBound)
  }

  private mutating func write(
    _ rows: Range<Int>, of ring: RowRing, _ output: inout OutputWriter, into pixels: inout MutableSpan<UInt8>
  ) {
    if let position = output.directRows(from: rows.lowerBound) {
      transforms.undo(rows, of: ring, into: &pixels, offset: position.offset, stride: position.stride)
      output.skip(rows: rows)
      return
    }
    let stride = 4 * transforms.width
    var scratch = scratch.moved()
    defer { self.scratch = scratch }
    if scratch.isEmpty { scratch = .init(repeating: 0, count: InverseTransforms.batch * stride) }
    var target = scratch.mutableSpan
    transforms.undo(rows, of: ring, into: &target, offset: 0, stride: stride)
    output.write(rgba: scratch.span, stride: stride, rows: rows, into: &pixels)
  }
}
