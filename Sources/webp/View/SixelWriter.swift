// Sixel graphics (VT330/VT340 Programmer Reference Manual, volume 2, chapter 14). An image is a sequence of bands, each
// six pixels high. For each color of a band, one character per column specifies which of its six pixels have the color:
//
//     ESC P 0;1 q "1;1;WIDTH;HEIGHT #REGISTER;2;RED;GREEN;BLUE … #REGISTER characters $ #REGISTER characters - … ESC \
//                                    percent                                        │ to the band's start    │ next
//                                    band

import PureWebP

/// Writes images as sixels, with a fixed palette and ordered dithering.
///
/// The palette has 6 levels of red, 7 of green and 6 of blue. These are 252 colors, and terminals have 256 color
/// registers.
enum SixelWriter {
  private static let levels = (red: 6, green: 7, blue: 6)
  private static let colorCount = levels.red * levels.green * levels.blue

  /// Returns the control string that draws an image, and a line feed.
  ///
  /// Pixels whose alpha is below 128 are not drawn, so the terminal's contents stay visible there.
  ///
  /// - Parameter image: an RGBA image.
  static func bytes(of image: WebP.Image) -> ContiguousArray<UInt8> {
    var output = ContiguousArray("\u{1B}P0;1q\"1;1;\(image.width);\(image.height)".utf8)
    var isDefined = [Bool](repeating: false, count: colorCount)
    // One byte for each color and column. Bits 0 to 5 indicate which of the six rows have the color.
    var columns = [UInt8](repeating: 0, count: colorCount * image.width)
    for top in stride(from: 0, to: image.height, by: 6) {
      var isUsed = [Bool](repeating: false, count: colorCount)
      for y in top..<min(top + 6, image.height) {
        for x in 0..<image.width {
          guard let color = color(of: image, x, y) else { continue }
          columns[color * image.width + x] |= 1 << UInt8(y - top)
          isUsed[color] = true
        }
      }
      for color in isUsed.indices where isUsed[color] {
        output.append(contentsOf: (isDefined[color] ? "#\(color)" : definition(of: color)).utf8)
        isDefined[color] = true
        let range = color * image.width..<(color + 1) * image.width
        appendRuns(of: columns[range], to: &output)
        output.append(UInt8(ascii: "$"))
        for index in range { columns[index] = 0 }
      }
      output.append(UInt8(ascii: "-"))
    }
    return output + "\u{1B}\\\n".utf8
  }

  /// Returns the register of a pixel's color, or nil for a transparent pixel.
  private static func color(of image: WebP.Image, _ x: Int, _ y: Int) -> Int? {
    let start = (y * image.width + x) * 4
    guard image.pixels[start + 3] >= 128 else { return nil }
    let threshold = thresholds[(y & 7) * 8 + (x & 7)]
    /// Returns the level of `value` (0 to 255) after dithering, from 0 to `count` - 1.
    func level(_ value: UInt8, of count: Int) -> Int { (Int(value) * (count - 1) * 64 + 255 * threshold) / (255 * 64) }
    return
      (level(image.pixels[start], of: levels.red) * levels.green
      + level(image.pixels[start + 1], of: levels.green)) * levels.blue
      + level(image.pixels[start + 2], of: levels.blue)
  }

  /// The 8 × 8 Bayer matrix, with thresholds from 0 to 63. Each bit of x and y determines two bits of the threshold,
  /// the lowest bits of x and y the highest bits of the threshold.
  private static let thresholds = (0..<64).map { index in
    let (x, y) = (index & 7, index >> 3)
    return (0..<3).reduce(0) { sum, bit in
      let (columnBit, rowBit) = (x >> bit & 1, y >> bit & 1)
      return sum | (columnBit ^ rowBit) << (5 - 2 * bit) | rowBit << (4 - 2 * bit)
    }
  }

  /// Returns the text that defines a register, in percent of red, green and blue, and selects it.
  private static func definition(of color: Int) -> String {
    func percent(_ level: Int, of count: Int) -> Int { (level * 100 + (count - 1) / 2) / (count - 1) }
    let red = percent(color / (levels.green * levels.blue), of: levels.red)
    let green = percent(color / levels.blue % levels.green, of: levels.green)
    let blue = percent(color % levels.blue, of: levels.blue)
    return "#\(color);2;\(red);\(green);\(blue)"
  }

  /// Appends one character for each column. Repeated characters are written once, after `!COUNT`. Empty columns at the
  /// end are omitted.
  private static func appendRuns(of columns: ArraySlice<UInt8>, to output: inout ContiguousArray<UInt8>) {
    var rest = columns.prefix(through: columns.lastIndex { $0 != 0 } ?? columns.startIndex)
    while let column = rest.first {
      let count = (rest.firstIndex { $0 != column } ?? rest.endIndex) - rest.startIndex
      rest = rest.dropFirst(count)
      if count > 3 { output.append(contentsOf: "!\(count)".utf8) }
      output.append(contentsOf: repeatElement(column + 0x3F, count: count > 3 ? 1 : count))
    }
  }
}
