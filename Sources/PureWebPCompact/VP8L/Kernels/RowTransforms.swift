// The inverse transforms of one row (RFC 9649, section 3.5), in place. Blue is the lowest channel.
//
// Four pixels are processed at a time, except for modes that use the left pixel. So the caller guarantees that the
// pixels of the row, rounded up to a multiple of four, can be read and written, and also `width` + 1 pixels before the
// row. The pixels after the row become meaningless.
//
// Mode 11 selects between pixels as numbers, which is slightly faster than selecting between vectors.
//
// Unsafe code: Rows are from `LosslessPixels`, rounded up to four pixels. A precondition checks that there is a row
// above.
// Plain formula: `PlainTransform` in Tests/TestSupport/PlainTransform.swift.

internal import WebPFormat

/// Adds green to red and blue (section 3.5.3).
func addGreen(_ row: UnsafeMutableRawPointer, _ width: Int) {
  for x in stride(from: 0, to: width, by: 4) {
    let pixels = unsafe row.fourPixels(x)
    let low = cast(cast(pixels, as: Words.self) &>> 8, as: SIMD4<UInt32>.self) &<< 16
    unsafe row.store(pixels &+ cast(low, as: Bytes.self).or(cast(low &>> 16, as: Bytes.self)), x)
  }
}

/// Adds the prediction of the color transform to red and blue (section 3.5.2).
///
/// - Parameter elements: the row's transform elements, one for each block with a side of 2^`blockBits` pixels, four or
///   more.
func addColors(_ row: UnsafeMutableRawPointer, _ width: Int, _ elements: UnsafeRawPointer, blockBits: Int) {
  // Each pixel is two words: blue and green, red and alpha.
  func factors(_ bytes: UInt32) -> SignedWords { cast(SIMD4(repeating: bytes), as: SignedWords.self) &>> 8 }
  for x in stride(from: 0, to: width, by: 4) {
    let element = unsafe elements.pixel(x &>> blockBits)
    let pixels = unsafe row.fourPixels(x)
    let low = cast(pixels, as: SIMD4<UInt32>.self) &<< 16
    let greens = cast(cast(low, as: Bytes.self).or(cast(low &>> 16, as: Bytes.self)), as: SignedWords.self) &>> 8
    let fromGreen = (greens &* factors(element & 0xFF00 | element &<< 24)) &>> 5
    // Red is final here. Blue still lacks the contribution of red.
    let first = pixels &+ cast(fromGreen, as: Bytes.self)
    let reds = (cast(first, as: SignedWords.self) &<< 8) &>> 8
    let fromRed = (reds &* factors(element &<< 8)) &>> 5
    let second = first &+ cast(cast(fromRed, as: SIMD4<UInt32>.self) &>> 16, as: Bytes.self)
    unsafe row.store(second.and(Bytes(0x00FF_00FF)).or(pixels.and(Bytes(0xFF00_FF00))), x)
  }
}

/// Exchanges red and blue.
func swapRedAndBlue(_ row: UnsafeMutableRawPointer, _ width: Int) {
  for x in stride(from: 0, to: width, by: 4) {
    let p = unsafe row.fourPixels(x)
    let swapped = Bytes(
      p[2], p[1], p[0], p[3], p[6], p[5], p[4], p[7], p[10], p[9], p[8], p[11], p[14], p[13], p[12], p[15])
    unsafe row.store(swapped, x)
  }
}

/// Replaces indices by their colors (section 3.5.4). Works from right to left, so that an index is read before a color
/// overwrites it.
///
/// - Parameters:
///   - colors: 256 colors.
///   - bits: the binary logarithm of the number of indices in a pixel, at most 3.
func mapColors(_ row: UnsafeMutableRawPointer, _ width: Int, _ colors: UnsafeRawPointer, bits: Int) {
  let indexBits = 8 &>> bits
  for x in stride(from: width &- 1, through: 0, by: -1) {
    let indices = unsafe row.pixel(x &>> bits) &>> 8 & 0xFF
    let shift = (x & (1 &<< bits &- 1)) &* indexBits
    unsafe row.store(colors.pixel(Int(indices) &>> shift & (1 &<< indexBits &- 1)), x)
  }
}

/// Adds predictions (section 3.5.1), and copies the result to the row above, which the next row needs.
///
/// - Parameters:
///   - modes: the pixels of the predictor's subresolution image for this row. Green is the mode of a block.
///   - isFirst: whether this is the first row, which is predicted from the left.
func addPredictions(
  _ row: UnsafeMutableRawPointer, _ width: Int, _ modes: UnsafeRawPointer, blockBits: Int, isFirst: Bool
) {
  let above = unsafe row - 4 &* width
  // The first pixel is predicted from above. In the first row, it is predicted as opaque black.
  let opaqueBlack = Channels(0xFF00_0000)
  var left = unsafe Channels(row.pixel(0)).plus(isFirst ? opaqueBlack : Channels(above.pixel(0)))
  unsafe row.store(left.pixel, 0)
  var x = 1
  while x < width {
    let mode = unsafe isFirst ? 1 : modes.pixel(x &>> blockBits) &>> 8 & 15
    let end = min(width, (x &>> blockBits &+ 1) &<< blockBits)
    if 2...4 ~= mode, x > 1 {
      let shift = mode == 4 ? -1 : Int(mode) &- 2
      while x < end {
        unsafe row.store(row.fourPixels(x) &+ above.fourPixels(x &+ shift), x)
        x &+= 4
      }
      left = unsafe Channels(row.pixel(x &- 1))
      continue
    }
    var topLeft = unsafe Channels(above.pixel(x &- 1))
    var top = unsafe Channels(above.pixel(x))
    while x < end {
      let topRight = unsafe Channels(above.pixel(x &+ 1))
      let prediction =
        switch mode {
        case 1: left
        case 2: top
        case 3: topRight
        case 4: topLeft
        case 5: left.average(topRight).average(top)
        case 6: left.average(topLeft)
        case 7: left.average(top)
        case 8: topLeft.average(top)
        case 9: top.average(topRight)
        case 10: left.average(topLeft).average(top.average(topRight))
        case 11: Channels(left.distance(to: topLeft) <= top.distance(to: topLeft) ? top.pixel : left.pixel)
        case 12: left.clampedSum(top, minus: topLeft)
        case 13: left.average(top).clampedHalfSum(minus: topLeft)
        default: opaqueBlack
        }
      left = unsafe Channels(row.pixel(x)).plus(prediction)
      unsafe row.store(left.pixel, x)
      topLeft = top
      top = topRight
      x &+= 1
    }
  }
  unsafe above.copyMemory(from: row, byteCount: 4 &* width)
}
