// The four stages of lossy decoding, which run at the same time, each on its own batch of rows:
//
//     modes ──▶ coefficients, alpha ──▶ pixels ──▶ output (OutputWriter)
//
// With one thread, the stages run one after another on a single batch of one row.

internal import WebPFormat

/// Decodes a VP8 frame and its alpha channel, from the modes of its macroblocks to the OutputWriter.
final class LossyPipeline: CopiedOnWrite {
  private let threads: Int
  private let schedule: RowSchedule
  private let width: Int
  private let window: CropWindow
  /// The payload of the ALPH chunk.
  private let alphaPayload: Range<Int>?
  /// The strength of libwebp's "alpha dithering", which smooths the alpha channel.
  private let alphaSmoothing: Int
  // The state of the stages. Threads can run the stages at the same time, because no property is used by two stages. No
  // structs for the stages, because these would take 7 KB of code for copies.
  private var modes: ModeParser
  private var coefficients: CoefficientParser
  /// Nil until a row needs it.
  private var alpha: Optional<AlphaDecoder>
  private var reconstruction: Reconstruction
  private var pipeline: StagedPipeline<MacroblockBatch>

  /// - Parameter alphaPayload: the payload of the ALPH chunk.
  init(_ layout: PartitionLayout, alphaPayload: Range<Int>?, _ options: WebP.DecodeOptions, _ output: OutputWriter) {
    let header = layout.header
    let share = options.threads.share(
      width: header.width, height: header.height, rowsTogether: 16, minimum: 2)
    threads = share.threads.count
    width = header.width
    window = output.window
    self.alphaPayload = alphaPayload
    alphaSmoothing = options.alphaSmoothing
    modes = ModeParser(header, decoder: layout.decoder, partition: layout.firstPartition)
    coefficients = CoefficientParser(
      header, layout.coefficientProbabilities, layout.tokenPartitions, tokenBytes: layout.tokenBytes)
    alpha = nil
    reconstruction = Reconstruction(
      header: header, bypassesLoopFilter: options.bypassesLoopFilter || output.geometry.hidesLoopFilter,
      usesOneRow: threads == 1, ditheringStrength: options.dithering, cropColumns: output.window.columns)
    schedule = reconstruction.schedule
    let batch = MacroblockBatch(
      rows: share.rows / 16, columns: header.macroblockColumns, deferredRows: schedule.deferredRows)
    pipeline = StagedPipeline(.init(filledWith: batch, count: threads > 1 ? 3 : 1), stages: 4)
  }

  init(copying other: LossyPipeline) {
    threads = other.threads
    schedule = other.schedule
    width = other.width
    window = other.window
    alphaPayload = other.alphaPayload
    alphaSmoothing = other.alphaSmoothing
    modes = other.modes
    coefficients = other.coefficients
    alpha = other.alpha
    reconstruction = other.reconstruction
    pipeline = other.pipeline
  }

  func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, _ output: inout OutputWriter, into pixels: inout MutableSpan<UInt8>,
    pixelLimit: Int
  ) throws(WebP.DecodeError) {
    guard pixelLimit == .max || decodeAlphaAhead(bytes, pixelLimit: pixelLimit) else {
      return output.pause(before: output.finishedRows, afterPixels: .max)
    }
    // Inout, because each access to a property of an object is checked at run time.
    func decode(
      _ modes: inout ModeParser, _ coefficients: inout CoefficientParser, _ alpha: inout AlphaDecoder?,
      _ reconstruction: inout Reconstruction, _ pipeline: inout StagedPipeline<MacroblockBatch>
    ) throws(WebP.DecodeError) {
      // Not inlined, because `run` calls it in two loops.
      @inline(never) func perform(_ stage: Int, on batch: inout MacroblockBatch) -> Bool {
        switch stage {
        case 0:
          return modes.parse(&batch, bytes)
        case 1:
          parseCoefficients(&batch, &coefficients, &alpha, bytes, isComplete: isComplete)
          return batch.isParsed
        case 2:
          reconstruction.reconstruct(&batch)
          return true
        default:
          batch.write(to: &output, into: &pixels)
          return output.acceptsRows
        }
      }
      pipeline.run(threads: threads, perform)
      guard output.acceptsRows else { return }
      // Writes the incomplete batch: the rows before the first one that is corrupt or whose bytes have not arrived.
      reconstruction.reconstruct(&pipeline.first)
      pipeline.first.write(to: &output, into: &pixels)
      if output.acceptsRows, let fault = pipeline.first.nextFault { throw fault }
    }
    try decode(&modes, &coefficients, &alpha, &reconstruction, &pipeline)
  }

  /// See `CoefficientParser`.
  func releaseConsumedBytes(atLeast count: Int) -> Range<Int>? { coefficients.releaseConsumedBytes(atLeast: count) }

  /// Parses the coefficients and decodes the alpha of the batch's rows. Ends early if more bytes are needed or a row is
  /// corrupt.
  private func parseCoefficients(
    _ batch: inout MacroblockBatch, _ coefficients: inout CoefficientParser, _ alpha: inout AlphaDecoder?,
    _ bytes: Span<UInt8>, isComplete: Bool
  ) {
    while batch.parsed < batch.prepared {
      let (row, y) = (batch.parsed, batch.start + batch.parsed)
      do throws(WebP.DecodeError) {
        guard try coefficients.parseRow(&batch.rows[row], at: y, bytes, isComplete: isComplete) else { return }
        try decodeAlpha(of: &batch.rows[row], at: y, &alpha, bytes)
        batch.parsed += 1
      } catch {
        return batch.end(after: row, with: error)
      }
    }
  }

  /// Decodes alpha that is smoothed before the rows, which need all of it, so that each step is short. An error is
  /// thrown with the first row.
  ///
  /// - Returns: whether no further call is needed.
  private func decodeAlphaAhead(_ bytes: Span<UInt8>, pixelLimit: Int) -> Bool {
    guard let alphaPayload, alphaSmoothing > 0 else { return true }
    if alpha == nil {
      alpha = try? AlphaDecoder(
        bytes, payload: alphaPayload, width: width, height: schedule.height, crop: window, smoothing: alphaSmoothing)
    }
    return alpha.unique()?.decodeAhead(bytes, pixelLimit: pixelLimit) ?? true
  }

  /// Decodes the alpha of the image rows that are finished with a row of macroblocks (see `RowSchedule`).
  private func decodeAlpha(
    of row: inout MacroblockRow, at y: Int, _ alpha: inout AlphaDecoder?, _ bytes: Span<UInt8>
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
      row.alpha = ContiguousArray(filledWith: 0, count: schedule.mostRows * width + YUVRows.slack)
    }
    alpha?.copyWindow(rows.count, to: &row.alpha)
  }
}

extension ModeParser {
  /// Fills the batch with the next rows, and parses their modes. The next stage parses their coefficients.
  ///
  /// - Returns: true if the batch has rows or an error.
  fileprivate mutating func parse(_ batch: inout MacroblockBatch, _ bytes: Span<UInt8>) -> Bool {
    batch.restart(at: rowsParsed)
    // The first and the last batches are smaller, so that the other threads begin early and end soon after this stage.
    let capacity = min(batch.rows.count, max(1, min(rowsParsed, (rowCount - rowsParsed) / 4)))
    while batch.prepared < capacity, rowsParsed < rowCount {
      guard parseRow(&batch.rows[batch.prepared], bytes) else {
        let fault = WebP.DecodeError(.truncatedFirstPartition, chunk: .vp8, offset: partition.upperBound)
        batch.end(after: batch.prepared, with: fault)
        return true
      }
      batch.prepared += 1
    }
    return batch.prepared > 0
  }
}

extension Reconstruction {
  /// Reconstructs all parsed rows.
  fileprivate mutating func reconstruct(_ batch: inout MacroblockBatch) {
    while batch.reconstructed < batch.parsed {
      reconstruct(&batch.rows[batch.reconstructed], at: batch.start + batch.reconstructed)
      batch.reconstructed += 1
    }
  }
}

extension MacroblockBatch {
  /// Writes the pixels of all reconstructed rows.
  fileprivate mutating func write(to output: inout OutputWriter, into pixels: inout MutableSpan<UInt8>) {
    while written < reconstructed, output.acceptsRows {
      rows[written].write(to: &output, into: &pixels)
      written += 1
    }
  }
}

extension MacroblockRow {
  fileprivate mutating func write(to output: inout OutputWriter, into pixels: inout MutableSpan<UInt8>) {
    output.write(self.pixels, alpha: alpha.span, into: &pixels)
  }
}
