// Undoing the predictor transform (RFC 9649, section 3.5.1), in place.
//
//     TL  T  TR       A pixel is what was stored plus what its block's mode predicts from pixels that are finished:
//     L  [x]          left, top left, top, top right. Right of the last pixel of a row, in memory, is the first of
//                     the next row: that is what a row's last pixel takes for its top right.
//
// Rows lie behind one another, and the one above the first is directly before it. In most modes a pixel needs the
// pixel to its left: a chain, with one pixel's latency for each. So four rows are worked on at once, in a diagonal
// wave (LosslessPredictionWave). Where that is not possible, a row goes its own way (LosslessPredictionRow).

/// Pixels that a wave may read and write, unchanged, behind the last row and before the row above the first.
let predictionMargin = 16

/// Adds the predictions to the pixels of `rows`.
///
/// - Parameters:
///   - buffer: holds the rows from `origin` on, and before it the finished row above, unless the first row is row 0.
///   - modes: of the blocks, row by row.
///   - blockBits: the side of a block, as a power of two; 2 or more.
func addPredictions(
  _ rows: Range<Int>, in buffer: inout MutableSpan<UInt32>, at origin: Int, width: Int, modes: Span<UInt8>,
  blockBits: Int
) {
  let blocksPerRow = blocks(in: width, bits: blockBits)
  precondition(
    !rows.isEmpty && rows.lowerBound >= 0 && width > 0 && origin >= width &+ predictionMargin
      && rows.count &* width <= buffer.count &- origin &- predictionMargin
      && modes.count >= ((rows.upperBound &- 1) &>> blockBits &+ 1) &* blocksPerRow)
  let start = unsafe buffer.withUnsafeMutableBytes { unsafe $0.baseAddress.unsafelyUnwrapped + 4 &* origin }

  var y = rows.lowerBound
  if y == 0 {
    unsafe start.store(sum(start.pixel(0), opaqueBlack), 0)
    unsafe predict(mode: 1, start, stride: width, from: 1, to: width)
    y = 1
  }
  while y < rows.upperBound {
    let row = unsafe start + 4 &* (y &- rows.lowerBound) &* width
    let blockModes = modes.extracting((y &>> blockBits) &* blocksPerRow..<(y &>> blockBits &+ 1) &* blocksPerRow)
    let left = rows.upperBound &- y
    let strips = y & 7 == 0 && left >= 8 && blockBits >= 4 ? 2 : y & 3 == 0 && left >= 4 && blockBits >= 3 ? 1 : 0
    if strips > 0, width >= 32 {
      unsafe addPredictions(toStrips: strips, row, width: width, blockModes, blockBits: blockBits)
      y &+= 4 &* strips
    } else {
      unsafe addPredictions(row, width: width, blockModes, blockBits: blockBits)
      y &+= 1
    }
  }
}

let opaqueBlack: Pixel = 0xFF00_0000

/// Goes through a row that is not the first.
private func addPredictions(
  _ row: UnsafeMutableRawPointer, width: Int, _ modes: Span<UInt8>, blockBits: Int
) {
  unsafe row.store(sum(row.pixel(0), row.pixel(-width)), 0)
  var x = 1
  for block in modes.indices {
    let end = min(width, (block &+ 1) &<< blockBits)
    unsafe predict(mode: modes[block], row, stride: width, from: x, to: end)
    x = end
  }
}

/// Goes through rows that lie in the same blocks: through a strip of four, where blocks are at least eight pixels wide,
/// or two strips, where they have sixteen.
///
/// Modes that look to the top right have no wave. There the upper rows run ahead, into the next block, by as much as
/// a wave would be ahead: each by two pixels more than the one below it. What follows leaves these out.
private func addPredictions(
  toStrips strips: Int, _ row: UnsafeMutableRawPointer, width: Int, _ modes: Span<UInt8>, blockBits: Int
) {
  let count = 4 &* strips
  for k in 0..<count {
    let first = k &* width
    unsafe row.store(sum(row.pixel(first), row.pixel(first &- width)), first)
  }
  var x = 1
  var block = 0
  var isAhead = false
  while x < width {
    let mode = modes[block]
    repeat { block &+= 1 } while block < modes.count && modes[block] == mode
    let end = min(width, block &<< blockBits)

    if hasWave(mode) {
      unsafe addWave(mode: mode, row, stride: width, strips: strips, from: x, to: end, isAhead: isAhead)
      isAhead = false
    } else {
      let looksRight = mode == 3 || mode == 5 || mode == 9 || mode == 10
      for k in 0..<count {
        let line = unsafe row + 4 &* k &* width
        let lead = 2 &* (count &- 1 &- k)
        unsafe predict(mode: mode, line, stride: width, from: isAhead ? x &+ lead : x, to: end)
        guard looksRight else { continue }
        var ahead = end
        while ahead < min(width, end &+ lead) {
          unsafe predict(mode: modes[ahead &>> blockBits], line, stride: width, from: ahead, to: ahead &+ 1)
          ahead &+= 1
        }
      }
      isAhead = looksRight
    }
    x = end
  }
}
