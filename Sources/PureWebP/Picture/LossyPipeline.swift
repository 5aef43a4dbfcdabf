// The stages of lossy decoding, at work at the same time on a batch of rows each:
//
//     modes ──▶ coefficients, alpha ──▶ pixels ──▶ to Output
//
// On one thread, there is one batch of one row, and its pixels go to Output from where they were made.

/// A VP8 picture from behind its frame header to Output.
struct LossyPipeline {
  private var modes: ModeReader
  private var parser: LossyParser
  private var reconstruction: Reconstruction
  private var conveyor: Conveyor<MacroblockBatch>
  private let threads: WebP.Threads

  /// - Parameter alphaPayload: of the ALPH chunk.
  init(_ frame: Frame, alphaPayload: Range<Int>?, _ options: WebP.DecodeOptions, _ output: borrowing Output) {
    modes = ModeReader(frame)
    reconstruction = Reconstruction(
      header: frame.header, bypassesLoopFilter: options.bypassesLoopFilter || output.leavesOutLoopFilter,
      ditheringStrength: options.dithering, shownColumns: output.window.columns)
    parser = LossyParser(
      frame, reconstruction.schedule, alphaPayload: alphaPayload, alphaSmoothing: options.alphaDithering,
      window: output.window)
    let header = frame.header
    let share = options.threads.share(width: header.width, height: header.height, rowsTogether: 16)
    self.threads = share.threads
    let batch = MacroblockBatch(rows: share.rows / 16, columns: header.macroblockColumns)
    conveyor = Conveyor(.init(repeating: batch, count: share.batches), stages: share.threads.count > 1 ? 4 : 3)
  }

  mutating func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, output: inout Output, into pixels: inout MutableSpan<UInt8>
  ) throws(WebP.DecodeError) {
    try Self.decodeRows(
      &conveyor, &modes, &parser, &reconstruction, threads: threads, bytes, isComplete: isComplete, output: &output,
      into: &pixels)
  }

  /// What several threads change is passed one by one, for a change of one property is a change of the whole struct.
  private static func decodeRows(
    _ conveyor: inout Conveyor<MacroblockBatch>, _ modes: inout ModeReader, _ parser: inout LossyParser,
    _ reconstruction: inout Reconstruction, threads: WebP.Threads, _ bytes: Span<UInt8>, isComplete: Bool,
    output: inout Output, into pixels: inout MutableSpan<UInt8>
  ) throws(WebP.DecodeError) {
    conveyor.run(threads: threads.count) { stage, batch in
      switch stage {
      case 0:
        return modes.prepare(&batch, bytes)
      case 1:
        parser.parse(&batch, bytes, isComplete: isComplete)
        return batch.isParsed
      case 2 where threads.count > 1:
        reconstruction.draw(&batch)
        return true
      default:
        if threads.count > 1 {
          batch.write(to: &output, into: &pixels)
        } else {
          reconstruction.draw(&batch, to: &output, into: &pixels)
        }
        return output.takesRows
      }
    }
    guard output.takesRows else { return }
    // The rows before the one whose bytes have not come, or are damaged.
    reconstruction.draw(&conveyor.first, to: &output, into: &pixels)
    if !output.isFinished, let fault = conveyor.first.nextFault { throw fault }
  }
}

extension Reconstruction {
  /// Makes pixels of the next parsed row of `batch`: `output` then holds the rows that are finished.
  fileprivate mutating func drawRow(of batch: inout MacroblockBatch) {
    reconstruct(&batch.rows[batch.drawn], at: batch.start + batch.drawn)
    batch.countDrawn()
  }

  /// Makes pixels of all parsed rows, and leaves them to be written.
  fileprivate mutating func draw(_ batch: inout MacroblockBatch) {
    while batch.isToBeDrawn {
      let row = batch.drawn
      drawRow(of: &batch)
      exchangeOutput(with: &batch.rows[row].pixels)
    }
  }

  /// Makes pixels of all parsed rows, and writes them.
  fileprivate mutating func draw(
    _ batch: inout MacroblockBatch, to output: inout Output, into pixels: inout MutableSpan<UInt8>
  ) {
    while batch.isToBeDrawn, output.takesRows {
      let alpha = batch.rows[batch.drawn].alpha
      drawRow(of: &batch)
      output.write(self.output, alpha: alpha.span, into: &pixels)
      batch.countWritten()
    }
  }
}

extension MacroblockBatch {
  /// Writes the rows that are drawn.
  fileprivate mutating func write(to output: inout Output, into pixels: inout MutableSpan<UInt8>) {
    while isToBeWritten, output.takesRows {
      let row = rows[written]
      if let finished = row.pixels { output.write(finished, alpha: row.alpha.span, into: &pixels) }
      countWritten()
    }
  }
}
