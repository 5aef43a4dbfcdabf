// The two halves of lossy decoding, at work at the same time:
//
//   one thread       front: coefficients, alpha ────────────┐    both are done: front and back change places
//   another          back: pixels, to Output; then modes ───┘
//                    of the rows behind those of front
//
// On one thread there is front alone, which has one row, and all of that happens to it in turn.

/// A VP8 picture from behind its frame header to Output.
struct LossyPipeline {
  private var parser: LossyParser
  private var painter: FramePainter
  private var front: MacroblockBatch
  private var back: MacroblockBatch
  private let isConcurrent: Bool

  init(_ parser: LossyParser, _ painter: FramePainter, _ header: FrameHeader, _ threads: WebP.Threads) {
    self.parser = parser
    self.painter = painter
    let rowsAtOnce = threads.rowsAtOnce(width: header.width, height: header.height, isLossy: true)
    isConcurrent = rowsAtOnce != nil
    let rows = ((rowsAtOnce ?? 0) + 15) / 16
    front = MacroblockBatch(rows: max(1, rows), columns: header.macroblockColumns)
    back = MacroblockBatch(rows: rows, columns: header.macroblockColumns)
  }

  mutating func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, output: inout Output, into pixels: inout MutableSpan<UInt8>
  ) throws(WebP.DecodeError) {
    while !output.isFinished {
      if back.isToBeDrawn {
        concurrently(
          { parser.parse(&front, bytes, isComplete: isComplete) },
          { painter.draw(&back, bytes, output: &output, into: &pixels) })
      } else {
        parser.parse(&front, bytes, isComplete: isComplete)
        if isConcurrent { painter.draw(&back, bytes, output: &output, into: &pixels) }
      }
      let goesOn = front.isParsed
      if goesOn, isConcurrent {
        swap(&front, &back)
        continue
      }
      painter.draw(&front, bytes, output: &output, into: &pixels)
      if goesOn || output.isFinished { continue }
      if let fault = front.nextFault { throw fault }
      return
    }
  }
}

extension FramePainter {
  /// Draws the rows that are parsed, and when all are, prepares others.
  fileprivate mutating func draw(
    _ batch: inout MacroblockBatch, _ bytes: Span<UInt8>, output: inout Output, into pixels: inout MutableSpan<UInt8>
  ) {
    while batch.isToBeDrawn, !output.isFinished {
      let alpha = batch.rows[batch.drawn].alpha
      drawRow(of: &batch)
      output.write(reconstruction.output, alpha: alpha.span, into: &pixels)
    }
    if batch.isDrawn { prepare(&batch, bytes) }
  }
}
