// The four stages of lossy decoding, which run at the same time, each on its own batch of rows:
//
//     modes ──▶ coefficients, alpha ──▶ pixels ──▶ output (OutputWriter)
//
// With one thread, the stages run one after another on a single batch of one row.

internal import WebPFormat

/// Decodes a VP8 frame and its alpha channel, from the modes of its macroblocks to the OutputWriter.
final class LossyPipeline: CopiedOnWrite {
  /// The state of the stages. Threads can run the stages at the same time, because each stage changes only its element.
  /// A tuple, because a struct takes code for operations that are never used.
  private typealias Stages = (
    threads: Int, modes: ModeStage, coefficients: CoefficientStage, reconstruction: Reconstruction
  )

  private var stages: Stages
  private var pipeline: StagedPipeline<MacroblockBatch>

  /// - Parameter alphaPayload: the payload of the ALPH chunk.
  init(_ layout: PartitionLayout, alphaPayload: Range<Int>?, _ options: WebP.DecodeOptions, _ output: OutputWriter) {
    let header = layout.header
    let share = options.threads.share(
      width: header.width, height: header.height, rowsTogether: 16, minimum: 4)
    let reconstruction = Reconstruction(
      header: header, bypassesLoopFilter: options.bypassesLoopFilter || output.skipsLoopFilter,
      usesOneRow: share.threads.count == 1, ditheringStrength: options.dithering, cropColumns: output.window.columns)
    let schedule = reconstruction.schedule
    stages = (
      threads: share.threads.count,
      modes: ModeStage(layout),
      coefficients: CoefficientStage(
        layout, schedule, output.window, alphaPayload: alphaPayload, alphaSmoothing: options.alphaDithering),
      reconstruction: reconstruction
    )
    let batch = MacroblockBatch(
      rows: share.rows / 16, columns: header.macroblockColumns, deferredRows: schedule.deferredRows)
    pipeline = StagedPipeline(.init(repeating: batch, count: share.threads.count > 1 ? 3 : 1), stages: 4)
  }

  init(copying other: LossyPipeline) {
    stages = other.stages
    pipeline = other.pipeline
  }

  func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, _ output: inout OutputWriter, into pixels: inout MutableSpan<UInt8>
  ) throws(WebP.DecodeError) {
    try Self.decodeRows(bytes, isComplete: isComplete, &stages, &pipeline, &output, into: &pixels)
  }

  private static func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, _ stages: inout Stages, _ pipeline: inout StagedPipeline<MacroblockBatch>,
    _ output: inout OutputWriter, into pixels: inout MutableSpan<UInt8>
  ) throws(WebP.DecodeError) {
    pipeline.run(threads: stages.threads) { stage, batch in
      switch stage {
      case 0:
        return stages.modes.parse(&batch, bytes)
      case 1:
        stages.coefficients.parse(&batch, bytes, isComplete: isComplete)
        return batch.isParsed
      case 2:
        stages.reconstruction.reconstruct(&batch)
        return true
      default:
        batch.write(to: &output, into: &pixels)
        return output.acceptsRows
      }
    }
    guard output.acceptsRows else { return }
    // Writes the incomplete batch: the rows before the first one that is corrupt or whose bytes have not arrived.
    stages.reconstruction.reconstruct(&pipeline.first)
    pipeline.first.write(to: &output, into: &pixels)
    if !output.isFinished, let fault = pipeline.first.nextFault { throw fault }
  }

  /// See `CoefficientParser`.
  func releaseConsumedBytes(atLeast count: Int) -> Range<Int>? {
    stages.coefficients.parser.releaseConsumedBytes(atLeast: count)
  }
}

private struct ModeStage {
  private var parser: ModeParser
  private let partition: Range<Int>
  /// The number of rows of macroblocks.
  private let rowCount: Int
  /// The number of rows whose modes have been parsed.
  private var rowsPrepared = 0

  init(_ layout: PartitionLayout) {
    parser = ModeParser(layout.header, decoder: layout.decoder)
    partition = layout.firstPartition
    rowCount = layout.header.macroblockRows
  }

  /// Fills the batch with the next rows, and parses their modes. The next stage parses their coefficients.
  ///
  /// - Returns: true if the batch has rows or an error.
  mutating func parse(_ batch: inout MacroblockBatch, _ bytes: Span<UInt8>) -> Bool {
    batch.restart(at: rowsPrepared)
    while batch.prepared < batch.rows.count, rowsPrepared < rowCount {
      guard parser.parseRow(&batch.rows[batch.prepared], bytes.extracting(partition)) else {
        let fault = WebP.DecodeError(.truncatedFirstPartition, chunk: .vp8, offset: partition.upperBound)
        batch.end(after: batch.prepared, with: fault)
        return true
      }
      batch.countPrepared()
      rowsPrepared += 1
    }
    return batch.prepared > 0
  }
}

private struct CoefficientStage {
  var parser: CoefficientParser
  private let schedule: RowSchedule
  private let width: Int
  private let window: CropWindow
  /// The payload of the ALPH chunk.
  private let alphaPayload: Range<Int>?
  /// The strength of libwebp's "alpha dithering", which smooths the alpha channel.
  private let alphaSmoothing: Int
  /// Nil until a row needs it.
  private var alpha: AlphaDecoder?

  init(
    _ layout: PartitionLayout, _ schedule: RowSchedule, _ window: CropWindow, alphaPayload: Range<Int>?,
    alphaSmoothing: Int
  ) {
    parser = CoefficientParser(
      layout.header, layout.coefficientProbabilities, layout.tokenPartitions, tokenBytes: layout.tokenBytes)
    self.schedule = schedule
    width = layout.header.width
    self.window = window
    self.alphaPayload = alphaPayload
    self.alphaSmoothing = alphaSmoothing
  }

  /// Parses the coefficients and decodes the alpha of the batch's rows. Ends early if more bytes are needed or a row is
  /// corrupt.
  mutating func parse(_ batch: inout MacroblockBatch, _ bytes: Span<UInt8>, isComplete: Bool) {
    while batch.parsed < batch.prepared {
      let (row, y) = (batch.parsed, batch.start + batch.parsed)
      do throws(WebP.DecodeError) {
        guard try parser.parseRow(&batch.rows[row], at: y, bytes, isComplete: isComplete) else { return }
        try decodeAlpha(of: &batch.rows[row], at: y, bytes)
        batch.countParsed()
      } catch {
        return batch.end(after: row, with: error)
      }
    }
  }

  /// Decodes the alpha of the image rows that are finished with a row of macroblocks (see `RowSchedule`).
  private mutating func decodeAlpha(
    of row: inout MacroblockRow, at y: Int, _ bytes: Span<UInt8>
  ) throws(WebP.DecodeError) {
    guard let alphaPayload else { return }
    // Rows below the crop are not decoded, so errors there are not reported.
    let rows = schedule.rows(at: y).clamped(to: 0..<window.rows.upperBound)
    guard !rows.isEmpty else { return }
    if alpha == nil {
      alpha = try AlphaDecoder(
        bytes, payload: alphaPayload, width: width, height: schedule.height, crop: window, smoothing: alphaSmoothing)
    }
    try alpha.unique()?.decode(rows, bytes)
    if row.alpha.isEmpty {
      row.alpha = ContiguousArray(repeating: 0, count: schedule.mostRows * width + YUVRows.slack)
    }
    alpha?.copyWindow(rows.count, to: &row.alpha)
  }
}

extension Reconstruction {
  /// Reconstructs all parsed rows.
  fileprivate mutating func reconstruct(_ batch: inout MacroblockBatch) {
    while batch.isToBeReconstructed {
      reconstruct(&batch.rows[batch.reconstructed], at: batch.start + batch.reconstructed)
      batch.countReconstructed()
    }
  }
}

extension MacroblockBatch {
  /// Writes the pixels of all reconstructed rows.
  fileprivate mutating func write(to output: inout OutputWriter, into pixels: inout MutableSpan<UInt8>) {
    while isToBeWritten, output.acceptsRows {
      rows[written].write(to: &output, into: &pixels)
      countWritten()
    }
  }
}

extension MacroblockRow {
  fileprivate mutating func write(to output: inout OutputWriter, into pixels: inout MutableSpan<UInt8>) {
    output.write(self.pixels, alpha: alpha.span, into: &pixels)
  }
}
