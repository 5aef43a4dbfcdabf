import PureWebP

/// Collects the colors of an image while there are at most 256, and converts pixels to indices.
struct PaletteBuilder {
  // A hash table with open addressing, at most a quarter full. The key of a slot is a color, R | G << 8 | B << 16 |
  // A << 24. The entry is the color's index plus one, or 0 if the slot is free.
  private var keys = ContiguousArray<UInt32>(repeating: 0, count: 1024)
  private var entries = ContiguousArray<UInt16>(repeating: 0, count: 1024)
  /// The colors, in the order in which they occur in the image.
  private(set) var colors: [UInt32] = []
  /// After ``finish()``: the index that each color has in the sorted palette.
  private var sortedIndices: [UInt8] = []

  /// Inserts the colors of a row. Returns whether the palette has room for all of them.
  ///
  /// - Parameter indices: receives the index of each pixel in ``colors``.
  mutating func insert(_ pixels: Span<UInt8>, channels: Int, to indices: inout ContiguousArray<UInt8>) -> Bool {
    var (last, index) = (UInt32?.none, UInt8(0))
    for start in stride(from: 0, to: pixels.count, by: channels) {
      let color = pixels.color(at: start, channels: channels)
      if color != last {
        last = color
        let slot = slot(of: color)
        if entries[slot] == 0 {
          guard colors.count < 256 else { return false }
          colors.append(color)
          keys[slot] = color
          entries[slot] = UInt16(colors.count)
        }
        index = UInt8(truncatingIfNeeded: entries[slot] &- 1)
      }
      indices.append(index)
    }
    return true
  }

  /// Returns whether indices and a palette are likely to make the file smaller.
  func isWorthwhile(width: Int, height: Int, insteadOf type: WebP.PNGHeader.ColorType) -> Bool {
    let header = WebP.PNGHeader(width: width, height: height, colorType: .palette(palette))
    // The palette itself hardly compresses. Pixels of any color type do, especially if they have few colors.
    let indexed = header.bytesPerRow * height + colors.count * 4 + 24
    return indexed * 2 <= width * type.channels * height
  }

  /// Sorts and returns the palette. Colors that are not opaque are first, so that tRNS can end after them.
  mutating func finish() -> [WebP.Color] {
    let unsorted = colors
    colors = colors.filter { $0 >> 24 != 255 } + colors.filter { $0 >> 24 == 255 }
    for (index, color) in colors.enumerated() { entries[slot(of: color)] = UInt16(index + 1) }
    sortedIndices = unsorted.map { index(of: $0) }
    return palette
  }

  private var palette: [WebP.Color] {
    colors.map { color in
      WebP.Color(
        red: UInt8(truncatingIfNeeded: color), green: UInt8(truncatingIfNeeded: color >> 8),
        blue: UInt8(truncatingIfNeeded: color >> 16), alpha: UInt8(truncatingIfNeeded: color >> 24))
    }
  }

  /// Appends a row as packed indices of the sorted palette.
  func append(_ pixels: Span<UInt8>, channels: Int, bitDepth: Int, to output: inout ContiguousArray<UInt8>) {
    append(pixels.count / channels, bitDepth: bitDepth, to: &output) {
      index(of: pixels.color(at: $0 * channels, channels: channels))
    }
  }

  /// Appends a row that `insert` has converted.
  func append(indices: Span<UInt8>, bitDepth: Int, to output: inout ContiguousArray<UInt8>) {
    append(indices.count, bitDepth: bitDepth, to: &output) { sortedIndices[Int(indices[$0])] }
  }

  @inline(__always)
  private func append(
    _ count: Int, bitDepth: Int, to output: inout ContiguousArray<UInt8>, _ index: (_ pixel: Int) -> UInt8
  ) {
    var byte: UInt8 = 0
    var free = 8
    for pixel in 0..<count {
      free -= bitDepth
      byte |= index(pixel) << UInt8(free)
      if free == 0 {
        output.append(byte)
        byte = 0
        free = 8
      }
    }
    if free < 8 { output.append(byte) }
  }

  private func index(of color: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: entries[slot(of: color)] &- 1) }

  /// The slot of `color`, or the slot in which it would be inserted.
  private func slot(of color: UInt32) -> Int {
    var slot = Int((color &* 0x9E37_79B1) >> 22)
    while entries[slot] != 0 && keys[slot] != color { slot = (slot + 1) & 1023 }
    return slot
  }
}

extension Span<UInt8> {
  @inline(__always)
  fileprivate func color(at start: Int, channels: Int) -> UInt32 {
    let rgb = UInt32(self[start]) | UInt32(self[start &+ 1]) << 8 | UInt32(self[start &+ 2]) << 16
    return rgb | (channels == 4 ? UInt32(self[start &+ 3]) << 24 : 0xFF00_0000)
  }
}
