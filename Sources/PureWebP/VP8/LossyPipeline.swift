// The stages of lossy decoding, which work at the same time on one batch of rows each:
//
//     modes ──▶ coefficients, alpha ──▶ pixels ──▶ to Output
//
// On one thread, the only batch has one row.

/// Decodes a VP8 frame, from the modes of its macroblocks to Output.
final class LossyPipeline {
  private var modes: ModeReader
  private var parser: LossyParser
  private var reconstruction: Reconstruction
  private var conveyor: Conveyor<MacroblockBatch>
  private let threads: WebP.Threads

  /// - Parameter alphaPayload: the payload of the ALPH chunk.
  init(_ frame: Frame, alphaPayload: Range<Int>?, _ options: WebP.DecodeOptions, _ output: Output) {
    let header = frame.header
    let share = options.threads.share(width: header.width, height: header.height, rowsTogether: 16)
    threads = share.threads
    modes = ModeReader(frame)
    reconstruction = Reconstruction(
      header: header, bypassesLoopFilter: options.bypassesLoopFilter || output.leavesOutLoopFilter,
      usesOneRow: threads.count == 1, ditheringStrength: options.dithering, shownColumns: output.window.columns)
    parser = LossyParser(
      frame, reconstruction.schedule, alphaPayload: alphaPayload, alphaSmoothing: options.alphaDithering,
      window: output.window)
    let batch = MacroblockBatch(
      rows: share.rows / 16, columns: header.macroblockColumns, rowsHeldBack: reconstruction.schedule.rowsHeldBack)
    conveyor = Conveyor(.init(repeating: batch, count: threads.count > 1 ? 3 : 1), stages: 4)
  }

  init(copying other: LossyPipeline) {
    modes = other.modes
    parser = other.parser
    reconstruction = other.reconstruction
    conveyor = other.conveyor
    threads = other.threads
  }

  func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, _ output: Output, into pixels: inout MutableSpan<UInt8>
  ) throws(WebP.DecodeError) {
    // Each stage has properties of its own, so that threads can run all of them at the same time.
    conveyor.run(threads: threads.count) { stage, batch in
      switch stage {
      case 0:
        return modes.prepare(&batch, bytes)
      case 1:
        parser.parse(&batch, bytes, isComplete: isComplete)
        return batch.isParsed
      case 2:
        reconstruction.draw(&batch)
        return true
      default:
        batch.write(to: output, into: &pixels)
        return output.takesRows
      }
    }
    guard output.takesRows else { return }
    // The rows before the first one that is corrupt or whose bytes have not arrived.
    reconstruction.draw(&conveyor.first)
    conveyor.first.write(to: output, into: &pixels)
    if !output.isFinished, let fault = conveyor.first.nextFault { throw fault }
  }
}

extension Reconstruction {
  /// Reconstructs all parsed rows.
  fileprivate mutating func draw(_ batch: inout MacroblockBatch) {
    while batch.isToBeDrawn {
      reconstruct(&batch.rows[batch.drawn], at: batch.start + batch.drawn)
      batch.countDrawn()
    }
  }
}

extension MacroblockBatch {
  /// Writes the pixels of all drawn rows.
  fileprivate mutating func write(to output: Output, into pixels: inout MutableSpan<UInt8>) {
    while isToBeWritten, output.takesRows {
      let alpha = rows[written].alpha
      output.write(rows[written].pixels, alpha: alpha.span, into: &pixels)
      countWritten()
    }
  }
}
