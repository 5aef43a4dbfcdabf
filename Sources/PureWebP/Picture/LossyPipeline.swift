// The stages of lossy decoding, at work at the same time, each on a batch of rows:
//
//     front    coefficients, alpha ───────────────┐
//     middle   pixels ────────────────────────────┤    all done: back, with the rows behind front, becomes front,
//     back     to Output; then modes of the rows ─┘    front becomes middle, middle becomes back
//              behind front
//
// On one thread there is front alone, with one row, and all of that happens to it in turn.

/// A VP8 picture from behind its frame header to Output.
struct LossyPipeline {
  private var modes: ModeReader
  private var parser: LossyParser
  private var reconstruction: Reconstruction
  private var front: MacroblockBatch
  private var middle: MacroblockBatch
  private var back: MacroblockBatch
  private let threads: WebP.Threads

  init(_ frame: FrameDecoder, _ parser: LossyParser, _ threads: WebP.Threads) {
    self.parser = parser
    modes = frame.modes
    reconstruction = frame.reconstruction
    let header = frame.header
    let rows = threads.rowsAtOnce(width: header.width, height: header.height, isLossy: true).map { ($0 + 15) / 16 }
    self.threads = rows == nil ? .one : threads
    front = MacroblockBatch(rows: rows ?? 1, columns: header.macroblockColumns)
    middle = MacroblockBatch(rows: rows ?? 0, columns: header.macroblockColumns)
    back = MacroblockBatch(rows: rows ?? 0, columns: header.macroblockColumns)
  }

  mutating func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, output: inout Output, into pixels: inout MutableSpan<UInt8>
  ) throws(WebP.DecodeError) {
    while !output.isFinished {
      if threads.count > 1, middle.isToBeDrawn || back.isToBeWritten {
        concurrently(
          threads: threads.count,
          { parser.parse(&front, bytes, isComplete: isComplete) },
          { reconstruction.draw(&middle) },
          { modes.prepare(&back, bytes, afterWritingTo: &output, into: &pixels) })
      } else {
        parser.parse(&front, bytes, isComplete: isComplete)
        if threads.count > 1 { modes.prepare(&back, bytes, afterWritingTo: &output, into: &pixels) }
      }
      let goesOn = front.isParsed
      if threads.count > 1 {
        if goesOn {
          swap(&front, &middle)
          swap(&front, &back)
          continue
        }
        middle.write(to: &output, into: &pixels)
      }
      while front.isToBeDrawn, !output.isFinished {
        let alpha = front.rows[front.drawn].alpha
        reconstruction.drawRow(of: &front)
        output.write(reconstruction.output, alpha: alpha.span, into: &pixels)
        front.countWritten()
      }
      if goesOn {
        modes.prepare(&front, bytes)
      } else if !output.isFinished {
        if let fault = front.nextFault { throw fault }
        return
      }
    }
  }
}

extension ModeReader {
  /// Writes what is to be written, and prepares other rows in place of those.
  fileprivate mutating func prepare(
    _ batch: inout MacroblockBatch, _ bytes: Span<UInt8>, afterWritingTo output: inout Output,
    into pixels: inout MutableSpan<UInt8>
  ) {
    batch.write(to: &output, into: &pixels)
    if batch.isWritten { prepare(&batch, bytes) }
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
}

extension MacroblockBatch {
  /// Writes the rows that are drawn.
  fileprivate mutating func write(to output: inout Output, into pixels: inout MutableSpan<UInt8>) {
    while isToBeWritten, !output.isFinished {
      let row = rows[written]
      if let finished = row.pixels { output.write(finished, alpha: row.alpha.span, into: &pixels) }
      countWritten()
    }
  }
}
