// The predictor modes (RFC 9649, section 3.5.1) for one row.
//
// Unsafe code: One precondition checks all rows, the row above, and the margin around them. Waves read the margin
// and write it back unchanged.
// Plain formula: `PlainTransform` in Tests/TestSupport/PlainTransform.swift.

internal import WebPFormat

/// Adds a mode's predictions to pixels of one row. Does nothing unless `start` is less than `end`.
///
/// The caller guarantees that the pixel before `start` is readable, and the row above from the pixel before `start` to
/// the pixel after `end`.
///
/// - Parameter stride: the distance between rows, in pixels.
@inline(never)
func predict(mode: UInt8, _ row: UnsafeMutableRawPointer, stride: Int, from start: Int, to end: Int) {
  guard start < end else { return }
  let above = unsafe row - 4 &* stride
  var x = start
  var left = unsafe row.pixel(x &- 1)

  /// Adds four pixels at a time, for modes that do not use the pixel to the left.
  @inline(__always)
  func addAbove(_ shift: Int) {
    while x &+ 4 <= end {
      unsafe row.store(row.fourPixels(x) &+ above.fourPixels(x &+ shift), x)
      x &+= 4
    }
    while x < end {
      unsafe row.store(sum(row.pixel(x), above.pixel(x &+ shift)), x)
      x &+= 1
    }
  }

  @inline(__always)
  func add(_ prediction: (_ left: Pixel, _ topLeft: Pixel, _ top: Pixel, _ topRight: Pixel) -> Pixel) {
    var topLeft = unsafe above.pixel(x &- 1)
    var top = unsafe above.pixel(x)
    while x < end {
      let topRight = unsafe above.pixel(x &+ 1)
      left = unsafe sum(row.pixel(x), prediction(left, topLeft, top, topRight))
      unsafe row.store(left, x)
      topLeft = top
      top = topRight
      x &+= 1
    }
  }

  switch mode {
  case 1: add { left, _, _, _ in left }
  case 2: addAbove(0)
  case 3: addAbove(1)
  case 4: addAbove(-1)
  case 5: add { left, _, top, topRight in average(average(left, topRight), top) }
  case 6: add { left, topLeft, _, _ in average(left, topLeft) }
  case 7: add { left, _, top, _ in average(left, top) }
  case 8: add { _, topLeft, top, _ in average(topLeft, top) }
  case 9: add { _, _, top, topRight in average(top, topRight) }
  case 10: add { left, topLeft, top, topRight in average(average(left, topLeft), average(top, topRight)) }
  case 11: add { left, topLeft, top, _ in selected(left, topLeft, top) }
  case 12: add { left, topLeft, top, _ in clampedSum(left, topLeft, top) }
  case 13: add { left, topLeft, top, _ in clampedHalfSum(average(left, top), topLeft) }
  default: add { _, _, _, _ in opaqueBlack }
  }
}

/// The nearer of left and top to left + top − top left (Select).
@inline(__always)
private func selected(_ left: Pixel, _ topLeft: Pixel, _ top: Pixel) -> Pixel {
  var difference: Int32 = 0
  for channel in 0..<4 {
    let corner = value(topLeft, channel)
    difference &+= abs(value(left, channel) &- corner) &- abs(value(top, channel) &- corner)
  }
  return difference <= 0 ? top : left
}

/// left + top − top left (ClampAddSubtractFull).
@inline(__always)
private func clampedSum(_ left: Pixel, _ topLeft: Pixel, _ top: Pixel) -> Pixel {
  var result: Pixel = 0
  for channel in 0..<4 {
    result |= clamped(value(left, channel) &+ value(top, channel) &- value(topLeft, channel), channel)
  }
  return result
}

/// a + (a − b) / 2 (ClampAddSubtractHalf).
@inline(__always)
private func clampedHalfSum(_ a: Pixel, _ b: Pixel) -> Pixel {
  var result: Pixel = 0
  for channel in 0..<4 {
    let sample = value(a, channel)
    let difference = sample &- value(b, channel)
    // The division rounds toward zero.
    result |= clamped(sample &+ (difference &- difference &>> 31) &>> 1, channel)
  }
  return result
}

@inline(__always)
private func value(_ pixel: Pixel, _ channel: Int) -> Int32 {
  Int32(truncatingIfNeeded: pixel &>> UInt32(truncatingIfNeeded: 8 &* channel) & 0xFF)
}

/// The value, clamped to 0...255, at its position in a pixel.
@inline(__always)
private func clamped(_ value: Int32, _ channel: Int) -> Pixel {
  Pixel(truncatingIfNeeded: max(0, min(255, value))) &<< UInt32(truncatingIfNeeded: 8 &* channel)
}
