// The inverse transforms (RFC 9649, section 3.5). They work in place, on one row at a time (RowTransforms.swift).
//
//     parameters    ├ bits ┼ image ┼ width ┼ × ┤ for each type of transform
//     row           ├ the predictor's result for the row above ┼ row ┤

internal import WebPFormat

/// Reads the transforms that the encoder has applied to the image (RFC 9649, sections 3.5 and 3.8.2), and undoes them
/// in reverse order.
struct InverseTransforms {
  /// The size of the image, in pixels.
  let width: Int
  let height: Int
  /// The width of the decoded pixels. It is less than `width` if color indexing combines several indices in a pixel.
  private(set) var codedWidth: Int
  /// The index of the row in the memory.
  private(set) var row = 0
  /// The types of the transforms, two bits each. The last transform is in the lowest bits. A 1 precedes the first one.
  private(set) var types = 1
  /// The position of the parameters: four words for each type of transform.
  private(set) var parameters = 0

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    codedWidth = width
  }

  /// Indicates whether color indexing is the only transform.
  var areOnlyIndexing: Bool { types == 1 << 2 | 3 }

  @inline(never)
  mutating func read(
    _ memory: inout LosslessMemory, _ reader: inout BitReader, _ bytes: Span<UInt8>, endBit: Int
  ) throws(ErrorCause) {
    codedWidth = width
    types = 1
    parameters = memory.allocate(16)
    var seen = 0
    while reader.take(1, bytes) == 1 {
      let type = reader.take(2, bytes)
      guard seen & 1 << type == 0 else { throw ErrorCause.duplicateTransform }
      seen |= 1 << type
      types = types << 2 | type
      var (bits, image) = (0, 0)
      let width = codedWidth
      if type < 2 {  // PREDICTOR_TRANSFORM, COLOR_TRANSFORM
        bits = reader.take(3, bytes) + 2
        image = try EntropyDecoder.subImage(
          width: blocks(in: width, bits: bits), height: blocks(in: height, bits: bits), &memory, &reader, bytes,
          endBit: endBit)
      } else if type == 3 {  // COLOR_INDEXING_TRANSFORM; SUBTRACT_GREEN_TRANSFORM has no data
        let count = reader.take(8, bytes) + 1
        image = try EntropyDecoder.subImage(width: count, height: 1, &memory, &reader, bytes, endBit: endBit)
        // Indices beyond the table are transparent black.
        _ = memory.allocate(256 - count)
        bits = count <= 2 ? 3 : count <= 4 ? 2 : count <= 16 ? 1 : 0
        codedWidth = blocks(in: width, bits: bits)
        // Each color is stored as the difference from the previous one.
        var words = memory.words.mutableSpan
        var color: Pixel = 0
        for index in image..<image + count {
          color = sum(color, words[index])
          words[index] = color
        }
      }
      var words = memory.words.mutableSpan
      let position = parameters + 4 * type
      words[position] = UInt32(truncatingIfNeeded: bits)
      words[position + 1] = UInt32(truncatingIfNeeded: image)
      words[position + 2] = UInt32(truncatingIfNeeded: width)
    }
    row = memory.allocate(2 * width + 4) + width + 1
  }
}
