// This file implements the inverse transforms, as specified in RFC 9649, section 3.5. They work in place, on one row at a time
// (LosslessRow.swift).
//
//     parameters    ├ bits ┼ image ┼ width ┼ × ┤ for each type of transform
//     row           ├ row above, as the predictor left it ┼ row ┤

/// Reads the transforms (RFC 9649, sections 3.5 and 3.8.2): what the encoder did to the picture. And undoes them, the last
/// one first.
struct InverseTransforms {
  let height: Int
  /// Of the picture, and of the pixels that are decoded.
  private let width: Int
  private(set) var codedWidth: Int
  /// Where the row is.
  private(set) var row = 0
  /// The types of the transforms, two bits each, the last one lowest; 1 before the first.
  private var types = 1
  private var parameters = 0

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    codedWidth = width
  }

  /// Whether the picture has nothing but indices into a palette.
  var areOnlyIndexing: Bool { types == 1 << 2 | 3 }

  @inline(never)
  mutating func read(
    _ memory: inout LosslessMemory, _ reader: inout BitReader, _ bytes: Span<UInt8>, endBit: Int
  ) throws(LosslessFault) {
    codedWidth = width
    types = 1
    parameters = memory.take(16)
    var seen = 0
    while reader.take(1, bytes) == 1 {
      let type = reader.take(2, bytes)
      guard seen & 1 << type == 0 else { throw LosslessFault(.duplicateTransform) }
      seen |= 1 << type
      types = types << 2 | type
      var (bits, image) = (0, 0)
      let width = codedWidth
      if type < 2 {
        bits = reader.take(3, bytes) + 2
        image = try EntropyDecoder.smallImage(
          width: blocks(in: width, bits: bits), height: blocks(in: height, bits: bits), &memory, &reader, bytes,
          endBit: endBit)
      } else if type == 3 {
        let count = reader.take(8, bytes) + 1
        image = try EntropyDecoder.smallImage(width: count, height: 1, &memory, &reader, bytes, endBit: endBit)
        // Indices beyond the table are transparent black.
        _ = memory.take(256 - count)
        bits = count <= 2 ? 3 : count <= 4 ? 2 : count <= 16 ? 1 : 0
        codedWidth = blocks(in: width, bits: bits)
        // Each colour is told as the difference from the one before.
        var words = memory.words.mutableSpan
        var color: Pixel = 0
        for index in image..<image + count {
          color = sum(color, words[index])
          words[index] = color
        }
      }
      var words = memory.words.mutableSpan
      let place = parameters + 4 * type
      words[place] = UInt32(truncatingIfNeeded: bits)
      words[place + 1] = UInt32(truncatingIfNeeded: image)
      words[place + 2] = UInt32(truncatingIfNeeded: width)
    }
    row = memory.take(2 * width + 4) + width + 1
  }

  /// Leaves row `y`, the next one, behind `row`, R G B A with red lowest.
  @inline(never)
  func undo(_ y: Int, _ entropy: EntropyDecoder, _ all: inout LosslessMemory) {
    var memory = all.words.mutableSpan
    // The ring may wrap.
    let start = y &* codedWidth & entropy.mask
    let count = min(codedWidth, entropy.mask &+ 1 &- start)
    memory.copyPixels(count, from: entropy.ring &+ start, to: row)
    memory.copyPixels(codedWidth &- count, from: entropy.ring, to: row &+ count)
    var types = types
    while types > 1 {
      let place = parameters &+ 4 &* (types & 3)
      let bits = Int(memory[place])
      let width = Int(memory[place &+ 2])
      precondition(row > width)
      let pixels = unsafe memory.pixels(width &+ 3, at: 4 &* row)
      let image = Int(memory[place &+ 1])
      let blockCount = blocks(in: width, bits: bits)
      let blocks = image &+ (y &>> bits) &* blockCount
      switch types & 3 {
      case 0:
        unsafe addPredictions(
          pixels, width, memory.span.pixels(blockCount, at: blocks), blockBits: bits, isFirst: y == 0)
      case 1:
        unsafe addColors(pixels, width, memory.span.pixels(blockCount, at: blocks), blockBits: bits)
      case 2: unsafe addGreen(pixels, width)
      default:
        unsafe mapColors(pixels, width, memory.span.pixels(256, at: image), bits: bits)
      }
      types &>>= 2
    }
    unsafe swapRedAndBlue(memory.pixels(width &+ 3, at: 4 &* row), width)
  }
}

/// How many blocks with a side of 2^`bits` a side of `length` pixels needs.
func blocks(in length: Int, bits: Int) -> Int { (length + 1 << bits - 1) >> bits }

extension MutableSpan<UInt32> {
  /// Copies `count` pixels.
  fileprivate mutating func copyPixels(_ count: Int, from start: Int, to target: Int) {
    guard count > 0 else { return }
    unsafe pixels(count, at: 4 &* target).copyMemory(from: span.pixels(count, at: start), byteCount: 4 &* count)
  }
}
