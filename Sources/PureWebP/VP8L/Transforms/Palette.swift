internal import WebPFormat

/// The color table of the color indexing transform (RFC 9649, section 3.5.4).
struct Palette {
  /// The binary logarithm of the number of indices in a byte.
  let widthBits: Int
  /// For each byte value, the colors of the indices in it. Indices beyond the table are transparent black.
  let colors: ContiguousArray<UInt32>

  /// - Parameter table: the differences between successive colors, channel by channel.
  init(_ table: ContiguousArray<UInt32>) {
    widthBits = table.count <= 2 ? 3 : table.count <= 4 ? 2 : table.count <= 16 ? 1 : 0
    var single = ContiguousArray<UInt32>(repeating: 0, count: 256)
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
    var bundles = ContiguousArray<UInt32>(repeating: 0, count: 256 << widthBits)
    for position in bundles.indices {
      let shift = (position & (1 << widthBits - 1)) * indexBits
      bundles[position] = single[(position >> widthBits) >> shift & (1 << indexBits - 1)]
    }
    colors = bundles
  }
}
