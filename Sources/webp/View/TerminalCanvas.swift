import ArgumentParser
import CommandSystem
import PureWebP
import WebPExport

/// How a terminal is told to show a picture.
enum TerminalProtocol: String, ExpressibleByArgument, CaseIterable {
  /// sw.kovidgoyal.net/kitty/graphics-protocol
  case kitty
  /// iterm2.com/documentation-images.html
  case iterm2
  /// Two pixels in each cell, as the colours of an upper half block and what is behind it.
  case cells

  /// What the terminal says that it is.
  static var detected: Self {
    // tmux and screen leave what the terminal says of itself, and swallow what they do not know themselves.
    if environment("TMUX") != nil || environment("STY") != nil { return .cells }
    if environment("KITTY_WINDOW_ID") != nil { return .kitty }
    if ["xterm-kitty", "xterm-ghostty"].contains(environment("TERM")) { return .kitty }
    return switch environment("TERM_PROGRAM") {
    case "ghostty": .kitty
    case "iTerm.app", "WezTerm", "mintty": .iterm2
    default: .cells
    }
  }
}

/// Where pictures are drawn: so many columns and rows of a terminal.
struct TerminalCanvas {
  let kind: TerminalProtocol
  let columns: Int
  let rows: Int

  /// The size to decode a picture to; nil: its own.
  ///
  /// A cell is about twice as high as wide. Protocols that show pixels scale them in the terminal.
  func size(forWidth width: Int, height: Int) -> WebP.OutputSize? {
    guard kind == .cells, width > columns || height > rows * 2 else { return nil }
    return .fit(width: columns, height: rows * 2)
  }

  /// What makes the terminal show a picture and go on below it.
  func drawing(of image: WebP.Image) throws -> ContiguousArray<UInt8> {
    switch kind {
    case .cells: return ContiguousArray(cells(image).utf8)
    case .kitty: return ContiguousArray(kitty(base64(try image.encoded()), image).utf8)
    case .iterm2:
      let png = try image.encoded()
      let place = "width=\(cellColumns(of: image));preserveAspectRatio=1"
      return ContiguousArray("\u{1B}]1337;File=inline=1;size=\(png.count);\(place):\(base64(png))\u{7}\n".utf8)
    }
  }

  /// Moves the cursor to where the picture above it began.
  func stepBack(over image: WebP.Image) -> ContiguousArray<UInt8> {
    ContiguousArray("\u{1B}[\(cellRows(of: image))A\r".utf8)
  }

  private func cellColumns(of image: WebP.Image) -> Int {
    let byHeight = rows * 2 * image.width / image.height
    return kind == .cells ? image.width : max(1, min(columns, byHeight, (image.width + 9) / 10))
  }

  private func cellRows(of image: WebP.Image) -> Int {
    guard kind != .cells else { return (image.height + 1) / 2 }
    return max(1, (cellColumns(of: image) * image.height + 2 * image.width - 1) / (2 * image.width))
  }

  /// The PNG in pieces of at most 4096 characters, of which all but the last say that more will come.
  private func kitty(_ text: String, _ image: WebP.Image) -> String {
    var output = ""
    var rest = Substring(text)
    var keys = "a=T,f=100,q=2,c=\(cellColumns(of: image)),r=\(cellRows(of: image)),"
    repeat {
      let piece = rest.prefix(4096)
      rest = rest.dropFirst(4096)
      output += "\u{1B}_G\(keys)m=\(rest.isEmpty ? 0 : 1);\(piece)\u{1B}\\"
      keys = ""
    } while !rest.isEmpty
    return output + "\n"
  }

  private func cells(_ image: WebP.Image) -> String {
    var output = ""
    for row in stride(from: 0, to: image.height, by: 2) {
      for column in 0..<image.width {
        let upper = color(image, column, row)
        let lower = row + 1 < image.height ? color(image, column, row + 1) : nil
        switch (upper, lower) {
        case (nil, nil): output += "\u{1B}[0m "
        case (let upper?, let lower?): output += "\u{1B}[38;2;\(upper);48;2;\(lower)m▀"
        case (let upper?, nil): output += "\u{1B}[0;38;2;\(upper)m▀"
        case (nil, let lower?): output += "\u{1B}[0;38;2;\(lower)m▄"
        }
      }
      output += "\u{1B}[0m\n"
    }
    return output
  }

  /// Nil where more of the terminal than of the picture shows.
  private func color(_ image: WebP.Image, _ x: Int, _ y: Int) -> String? {
    let start = (y * image.width + x) * 4
    let pixel = image.pixels[start..<start + 4]
    guard pixel[start + 3] >= 128 else { return nil }
    return "\(pixel[start]);\(pixel[start + 1]);\(pixel[start + 2])"
  }
}
