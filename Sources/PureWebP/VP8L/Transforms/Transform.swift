// The parsing of transforms (RFC 9649, sections 3.5 and 3.8.2).

internal import WebPFormat

/// A transform, with the data that its inverse needs.
struct Transform {
  enum Kind {
    /// Modes of the blocks, row by row (section 3.5.1).
    case predictor(modes: ContiguousArray<UInt8>, blockBits: Int)
    /// Transform elements of the blocks, row by row (section 3.5.2).
    case color(elements: ContiguousArray<UInt32>, blockBits: Int)
    /// The transform of section 3.5.3, which has no data.
    case subtractGreen
    /// The color table (section 3.5.4).
    case colorIndexing(Palette)
  }

  let kind: Kind
  /// The width of the image after the inverse transform.
  let width: Int

  /// Reads the data of a transform after its type.
  ///
  /// - Parameter width: the width of the image after the inverse transform, which is the coded width of the transform
  ///   that was read before.
  init(
    type: Int, width: Int, height: Int, _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) throws(ErrorCause) {
    self.width = width
    switch type {
    case 0, 1:  // PREDICTOR_TRANSFORM, COLOR_TRANSFORM
      let blockBits = reader.read(3, from: bytes) + 2
      let image = try EntropyDecoder.subImage(
        width: blocks(in: width, bits: blockBits), height: blocks(in: height, bits: blockBits), &reader, bytes)
      if type == 1 {
        kind = .color(elements: image, blockBits: blockBits)
        return
      }
      var modes = ContiguousArray<UInt8>()
      modes.reserveCapacity(image.count)
      for pixel in image { modes.append(UInt8(truncatingIfNeeded: pixel >> 8 & 15)) }
      kind = .predictor(modes: modes, blockBits: blockBits)
    case 2:  // SUBTRACT_GREEN_TRANSFORM
      kind = .subtractGreen
    default:  // COLOR_INDEXING_TRANSFORM
      let count = reader.read(8, from: bytes) + 1
      let table = try EntropyDecoder.subImage(width: count, height: 1, &reader, bytes)
      kind = .colorIndexing(Palette(table))
    }
  }

  /// The width of the image before the inverse transform.
  var codedWidth: Int {
    if case .colorIndexing(let palette) = kind { blocks(in: width, bits: palette.widthBits) } else { width }
  }
}

/// The color table of the color indexing transform (RFC 9649, section 3.5.4).
struct Palette {
  /// The binary logarithm of the number of indices in a byte.
  let widthBits: Int
  /// For each byte value, the colors of the indices in it. Indices beyond the table are transparent black.
  let colors: ContiguousArray<UInt32>

  /// - Parameter table: the differences between successive colors, channel by channel.
  init(_ table: ContiguousArray<UInt32>) {
    widthBits = table.count <= 2 ? 3 : table.count <= 4 ? 2 : table.count <= 16 ? 1 : 0
    var single = ContiguousArray<UInt32>(filledWith: 0, count: 256)
    var color: UInt32 = 0
    for index in table.indices {
      color = sum(color, table[index])
      single[index] = color
    }
    guard widthBits > 0 else {
      colors = single
      return
    }
    let indexBits = 8 >> widthBits
    var bundles = ContiguousArray<UInt32>(filledWith: 0, count: 256 << widthBits)
    for position in bundles.indices {
      let shift = (position & (1 << widthBits - 1)) * indexBits
      bundles[position] = single[(position >> widthBits) >> shift & (1 << indexBits - 1)]
    }
    colors = bundles
  }
}
