// The application of the inverse transforms to a row (RFC 9649, section 3.5).
//
// Unsafe code: Rows are from `LosslessPixels`, rounded up to four pixels. A precondition checks that there is a row
// above.
// Plain formula: `PlainTransform` in Tests/TestSupport/PlainTransform.swift.

internal import WebPFormat

extension InverseTransforms {
  /// Computes row `y` of the image, as R G B A with red in the lowest byte, and writes it to the memory from `row` on.
  /// Must be called for all rows in order.
  @inline(never)
  func undo(_ y: Int, _ entropy: EntropyDecoder, _ all: inout LosslessMemory) {
    var memory = all.words.mutableSpan
    // The row may continue at the start of the ring.
    let start = y &* codedWidth & entropy.mask
    let count = min(codedWidth, entropy.mask &+ 1 &- start)
    memory.copyPixels(count, from: entropy.ring &+ start, to: row)
    memory.copyPixels(codedWidth &- count, from: entropy.ring, to: row &+ count)
    var types = types
    while types > 1 {
      let position = parameters &+ 4 &* (types & 3)
      let bits = Int(memory[position])
      let width = Int(memory[position &+ 2])
      precondition(row > width)
      let pixels = unsafe memory.pixels(width &+ 3, atByte: 4 &* row)
      let image = Int(memory[position &+ 1])
      let blockCount = blocks(in: width, bits: bits)
      let blocks = image &+ (y &>> bits) &* blockCount
      switch types & 3 {
      case 0:  // PREDICTOR_TRANSFORM
        unsafe addPredictions(
          pixels, width, memory.span.pixels(blockCount, at: blocks), blockBits: bits, isFirst: y == 0)
      case 1:  // COLOR_TRANSFORM
        unsafe addColors(pixels, width, memory.span.pixels(blockCount, at: blocks), blockBits: bits)
      case 2:  // SUBTRACT_GREEN_TRANSFORM
        unsafe addGreen(pixels, width)
      default:  // COLOR_INDEXING_TRANSFORM
        unsafe mapColors(pixels, width, memory.span.pixels(256, at: image), bits: bits)
      }
      types &>>= 2
    }
    unsafe swapRedAndBlue(memory.pixels(width &+ 3, atByte: 4 &* row), width)
  }
}

extension MutableSpan<UInt32> {
  /// Copies `count` pixels.
  fileprivate mutating func copyPixels(_ count: Int, from start: Int, to target: Int) {
    guard count > 0 else { return }
    unsafe pixels(count, atByte: 4 &* target).copyMemory(from: span.pixels(count, at: start), byteCount: 4 &* count)
  }
}
