// The inverse predictor transform (RFC 9649, section 3.5.1), in place.
//
//     TL  T  TR
//     L  [x]
//
// A pixel x is the sum of the stored residual and the prediction of its block's mode. The mode uses finished pixels: L,
// TL, T and TR. The top right neighbor of a row's last pixel is the next pixel in memory, which is the first pixel of
// the current row.
//
// Rows are contiguous, and the row above precedes the first one. Most modes need the pixel to the left, so a pixel must
// wait for the one before it. Therefore four rows are processed together, in a diagonal wave (LosslessPredictionWave).
// If this is not possible, rows are processed one by one (LosslessPredictionRow).
//
// Unsafe code: One precondition checks all rows, the row above, and the margin around them. Waves read the margin
// and write it back unchanged.
// Plain formula: `PlainTransform` in Tests/TestSupport/PlainTransform.swift.

internal import WebPFormat

/// The number of pixels before the row above and after the last row that a wave may read and write back unchanged.
let predictionMargin = 16

/// Adds the predictions to the pixels of `rows`.
///
/// - Parameters:
///   - buffer: contains the rows from `origin` on, preceded by the finished row above, except for row 0.
///   - modes: the modes of the blocks, row by row.
///   - blockBits: the binary logarithm of the side of a block, at least 2.
func addPredictions(
  _ rows: Range<Int>, in buffer: inout MutableSpan<UInt32>, at origin: Int, width: Int, modes: Span<UInt8>,
  blockBits: Int
) {
  let blocksPerRow = blocks(in: width, bits: blockBits)
  precondition(
    !rows.isEmpty && rows.lowerBound >= 0 && width > 0 && origin >= width &+ predictionMargin
      && rows.count &* width <= buffer.count &- origin &- predictionMargin
      && modes.count >= ((rows.upperBound &- 1) &>> blockBits &+ 1) &* blocksPerRow)
  unsafe buffer.withUnsafeMutableBytes { buffer in
    let start = unsafe buffer.baseAddress.unsafelyUnwrapped + 4 &* origin
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
}

let opaqueBlack: Pixel = 0xFF00_0000

/// Processes a row other than row 0.
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

/// Processes rows that lie in the same blocks: one strip of four rows if blocks are at least eight pixels wide, two
/// strips if they are at least sixteen pixels wide.
///
/// Modes that use the top right pixel have no wave, and are processed row by row. To finish the top right pixels, each
/// row continues into the next block, by two more pixels than the row below it. The next mode skips these pixels.
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
