import PureWebP

/// Draws an image as text. Each character cell shows two pixels, one above the other.
///
/// Pixels whose alpha is below 128 show the terminal's background.
///
/// - Parameters:
///   - image: an RGBA image.
///   - isIndexed: true if colors are entries of xterm's palette rather than 24-bit values.
func cellDrawing(of image: WebP.Image, isIndexed: Bool) -> String {
  /// Returns the parameters of SGR that set the color of a pixel (ITU-T T.416, section 13.1.8), or nil for the
  /// background.
  func color(_ x: Int, _ y: Int) -> String? {
    let start = (y * image.width + x) * 4
    let pixel = image.pixels[start..<start + 4]
    guard pixel[start + 3] >= 128 else { return nil }
    let (red, green, blue) = (Int(pixel[start]), Int(pixel[start + 1]), Int(pixel[start + 2]))
    return isIndexed ? "5;\(xtermColor(nearestTo: red, green, blue))" : "2;\(red);\(green);\(blue)"
  }

  var output = ""
  for row in stride(from: 0, to: image.height, by: 2) {
    for column in 0..<image.width {
      let upper = color(column, row)
      let lower = row + 1 < image.height ? color(column, row + 1) : nil
      switch (upper, lower) {
      case (nil, nil): output += "\u{1B}[0m "
      case (let upper?, let lower?): output += "\u{1B}[38;\(upper);48;\(lower)m▀"
      case (let upper?, nil): output += "\u{1B}[0;38;\(upper)m▀"
      case (nil, let lower?): output += "\u{1B}[0;38;\(lower)m▄"
      }
    }
    output += "\u{1B}[0m\n"
  }
  return output
}

/// Returns the entry of xterm's palette of 256 colors that is nearest to a color, by squared distance.
///
/// Entries 16 to 231 are a cube with six levels per channel. Entries 232 to 255 are grays. The first 16 entries are not
/// used, because users can change them.
func xtermColor(nearestTo red: Int, _ green: Int, _ blue: Int) -> Int {
  let channels = [red, green, blue]
  func distance(to color: [Int]) -> Int { zip(channels, color).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) } }

  // The levels of the cube are 0, 95, 135, 175, 215 and 255.
  let levels = channels.map { $0 < 48 ? 0 : $0 < 115 ? 1 : ($0 - 35) / 40 }
  let cube = levels.map { $0 == 0 ? 0 : 55 + 40 * $0 }
  // The grays are 8, 18, … 238. The gray that is nearest to the color is the one nearest to the mean of its channels.
  let grayIndex = min(23, max(0, (channels.reduce(0, +) / 3 - 3) / 10))
  let gray = 8 + 10 * grayIndex
  let isGray = distance(to: [gray, gray, gray]) < distance(to: cube)
  return isGray ? 232 + grayIndex : 16 + 36 * levels[0] + 6 * levels[1] + levels[2]
}
