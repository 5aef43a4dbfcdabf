// In place of Kernels/LosslessPrediction.swift, -Wave.swift and -Strip.swift, which work on several rows at once where
// they can: here each row goes its own way (Kernels/LosslessPredictionRow.swift).

let predictionMargin = 0

let opaqueBlack: Pixel = 0xFF00_0000

func addPredictions(
  _ rows: Range<Int>, in buffer: inout MutableSpan<UInt32>, at origin: Int, width: Int, modes: Span<UInt8>,
  blockBits: Int
) {
  let blocksPerRow = blocks(in: width, bits: blockBits)
  precondition(
    !rows.isEmpty && rows.lowerBound >= 0 && width > 0 && origin >= width
      && rows.count &* width <= buffer.count &- origin
      && modes.count >= ((rows.upperBound &- 1) &>> blockBits &+ 1) &* blocksPerRow)
  var row = unsafe buffer.withUnsafeMutableBytes { unsafe $0.baseAddress.unsafelyUnwrapped + 4 &* origin }
  for y in rows {
    let isFirst = y == 0
    unsafe row.store(sum(row.pixel(0), isFirst ? opaqueBlack : row.pixel(-width)), 0)
    for block in 0..<blocksPerRow {
      unsafe predict(
        mode: isFirst ? 1 : modes[(y &>> blockBits) &* blocksPerRow &+ block], row, stride: width,
        from: max(1, block &<< blockBits), to: min(width, (block &+ 1) &<< blockBits))
    }
    unsafe row += 4 &* width
  }
}
