import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing
import WebPExport

@testable import webp

/// Proves that `webp view` writes the image's pixels in the protocol of the terminal.
/// Expected values: images that the library decodes, compared with output that the tests parse as a terminal does.
@Suite struct ViewTests {
  let command = try! Command(with: "encoder-cwebp-q75.webp")

  @Test(arguments: ["encoder-cwebp-q75.webp", "encoder-cwebp-lossless-z6-alpha.webp"])
  func cellsEqualThePixels(_ vector: String) throws {
    try command.bring(vector, as: "a.webp")
    let result = try command.webp("view", "--protocol", "cells", "--columns", "30", "a.webp")
    #expect(result.status == 0)
    let image = try WebP.decode(command.read("a.webp"), options: .init(size: .fit(width: 30, height: 46)))
    let lines = result.text.split(separator: "\n")
    #expect(lines.count == (image.height + 1) / 2)
    for (row, line) in lines.enumerated() {
      let cells = line.matches(of: /\u{1B}\[([0-9;]*)m([▀▄ ])/)
      #expect(cells.count == image.width)
      for (column, cell) in cells.enumerated() {
        let expected = [2 * row, 2 * row + 1].map { y -> [UInt8]? in
          guard y < image.height else { return nil }
          let pixel = image.pixels[(y * image.width + column) * 4..<(y * image.width + column) * 4 + 4]
          return pixel.last! >= 128 ? Array(pixel.prefix(3)) : nil
        }
        #expect(shown(String(cell.output.1), String(cell.output.2)) == expected)
      }
    }
  }

  /// A terminal of 80 × 24 cells has room for 80 × 46 pixels. Rotated, 67 × 45 pixels become 31 × 46.
  @Test(arguments: ["encoder-cwebp-q75.webp", "encoder-img2webp-animation.webp"])
  func animationsAreRotatedLikeStills(_ vector: String) throws {
    try command.bringWithMetadata(as: "a.webp", of: vector, exif: Data(Exif.turnedRight))
    let result = try command.webp("view", "--protocol", "cells", "--loops", "1", "a.webp")
    let lines = result.text.split(separator: "\n").filter { $0.contains("\u{1B}[0m") }
    #expect(result.status == 0 && lines.count >= 23)
    for line in lines { #expect(line.matches(of: /m[▀▄ ]/).count == 31) }
  }

  /// The image has 180 × 100 pixels.
  @Test func columnsAreAMaximum() throws {
    try command.bring("alpha-large.webp", as: "a.webp")
    for (columns, expected) in [("500", 80), ("30", 30)] {
      let result = try command.webp("view", "--protocol", "cells", "--columns", columns, "a.webp")
      let line = try #require(result.text.split(separator: "\n").first)
      #expect(line.matches(of: /m[▀▄ ]/).count == expected)
    }
  }

  /// Returns the upper and the lower pixel of a cell. Nil for a transparent pixel.
  private func shown(_ codes: String, _ character: String) -> [[UInt8]?] {
    let numbers = codes.split(separator: ";").map { UInt8($0)! }
    func color(_ code: UInt8) -> [UInt8]? {
      guard
        let at = numbers.indices.first(where: { numbers[$0] == code && $0 + 4 < numbers.count && numbers[$0 + 1] == 2 })
      else { return nil }
      return Array(numbers[at + 2..<at + 5])
    }
    switch character {
    case "▀": return [color(38), color(48)]
    case "▄": return [nil, color(38)]
    default: return [nil, nil]
    }
  }

  /// The image has 67 × 45 pixels, and a cell has 10 × 20.
  @Test(arguments: [(200, 67, 45), (7, 67, 45), (5, 50, 34), (2, 20, 13)])
  func protocolsContainTheScaledPNG(_ columns: Int, _ width: Int, _ height: Int) throws {
    var options = WebP.DecodeOptions()
    if width < 67 { options.size = .exact(width: width, height: height) }
    let expected = try WebP.decode(command.read("a.webp"), options: options)
    for (name, pattern, layout) in [
      ("kitty", /\u{1B}_G[^;]*;([^\u{1B}]*)\u{1B}\\/, ",c=\((width + 9) / 10),"),
      ("iterm2", /\u{1B}\]1337;[^:]*:([^\u{7}]*)\u{7}/, ";width=\((width + 9) / 10);preserveAspectRatio=1:"),
    ] {
      let result = try command.webp("view", "--protocol", name, "--columns", "\(columns)", "a.webp")
      #expect(result.status == 0 && result.text.contains(layout))
      let text = result.text.matches(of: pattern).map { String($0.output.1) }
      if name == "kitty" && width == 67 { #expect(text.count > 1 && text.allSatisfy { $0.count <= 4096 }) }
      let png = try PNGReader(Array(#require(Data(base64Encoded: text.joined()))))
      #expect(png.width == width && png.height == height)
      expectSame(png.pixels, Array(expected.pixels), width: width)
    }
  }

  @Test func imagesAreOriented() throws {
    try command.bringWithMetadata(as: "a.webp", exif: Data(Exif.turnedRight))
    let pixels = try command.webp("view", "--protocol", "iterm2", "a.webp")
    let png = try #require(pixels.text.firstMatch(of: /:([^:\u{7}]*)\u{7}/))
    let oriented = try WebP.decode(command.read("a.webp")).oriented(.right)
    #expect(try Data(base64Encoded: String(png.output.1)) == Data(oriented.encoded()))
    // The oriented image of 45 × 67 pixels is scaled to 30 columns, so it has 30 × 44⅔ pixels.
    let cells = try command.webp("view", "--protocol", "cells", "--columns", "30", "a.webp").text.split(separator: "\n")
    #expect(22...23 ~= cells.count && cells.allSatisfy { $0.count { "▀▄".contains($0) } == 30 })
  }

  /// tmux and screen discard the graphics protocols, but their environment still has the variables of the terminal.
  @Test(arguments: [
    ("KITTY_WINDOW_ID=1", "\u{1B}_G"), ("TERM_PROGRAM=ghostty", "\u{1B}_G"), ("TERM_PROGRAM=WezTerm", "\u{1B}]1337;"),
    ("TERM=foot", "\u{1B}P0;1q"),
  ])
  func multiplexersGetCells(_ terminal: String, _ start: String) throws {
    #expect(try view("TERM=xterm \(terminal)").text.hasPrefix(start))
    for multiplexer in ["TMUX=/tmp/tmux-0/default,1,0", "STY=1.pts-0"] {
      let text = try view("\(terminal) \(multiplexer) TERM=screen").text
      #expect(text.hasPrefix("\u{1B}[38;5;") && text.contains("▀"))
    }
  }

  @Test(arguments: [
    ("COLORTERM=truecolor TERM=xterm-256color", "2"), ("COLORTERM=24bit TERM=screen", "2"), ("TERM=xterm-direct", "2"),
    ("TERM=xterm-256color", "5"), ("COLORTERM=1 TERM=xterm", "5"), ("TERM=tmux", "5"),
  ])
  func colorsFollowTheEnvironment(_ environment: String, _ colorSpace: String) throws {
    let result = try view(environment)
    #expect(result.status == 0 && result.text.hasPrefix("\u{1B}[38;\(colorSpace);"))
  }

  @Test(arguments: ["TERM=dumb COLORTERM=truecolor", "TERM=vt100", "TERM=linux", "TERM=", ""])
  func terminalsWithFewColorsGetAMessage(_ environment: String) throws {
    let result = try view(environment)
    #expect(result.status == 1 && result.output.isEmpty)
    #expect(result.errors.hasPrefix("webp: standard output: the terminal has fewer than 256 colors (TERM"))
    #expect(result.errors.contains("--protocol"))
    #expect(try view("\(environment)", "--protocol cells256").text.hasPrefix("\u{1B}[38;5;"))
  }

  /// Runs the command without the variables of the terminal that runs the tests.
  private func view(_ environment: String, _ options: String = "") throws -> FinishedProcess {
    let names = ["TMUX", "STY", "TERM", "TERM_PROGRAM", "COLORTERM", "KITTY_WINDOW_ID"]
    let unset = names.map { "-u \($0)" }.joined(separator: " ")
    return try command.shell("env \(unset) \(environment) ./webp view \(options) a.webp")
  }

  @Test func indexedColorsAreTheNearest() throws {
    let levels = [0, 95, 135, 175, 215, 255]
    var palette: [[Int]] = []
    for red in levels { for green in levels { for blue in levels { palette.append([red, green, blue]) } } }
    for gray in stride(from: 8, through: 238, by: 10) { palette.append([gray, gray, gray]) }
    func distance(_ a: [Int], _ b: [Int]) -> Int {
      var sum = 0
      for channel in 0..<3 { sum += (a[channel] - b[channel]) * (a[channel] - b[channel]) }
      return sum
    }
    for index in 0..<4096 {
      let color: [Int] = [(index >> 8) * 17, (index >> 4 & 15) * 17, (index & 15) * 17]
      let chosen = palette[xtermColor(nearestTo: color[0], color[1], color[2]) - 16]
      try #require(distance(chosen, color) == palette.map { distance($0, color) }.min(), "\(color)")
    }
  }

  /// With dithering, each color differs by at most one level of the palette, and the mean color of an area is
  /// preserved.
  @Test(arguments: ["encoder-cwebp-q75.webp", "encoder-cwebp-lossless-z6-alpha.webp"])
  func sixelsApproximateThePixels(_ vector: String) throws {
    try command.bring(vector, as: "a.webp")
    let image = try WebP.decode(command.read("a.webp"))
    let result = try command.webp("view", "--protocol", "sixel", "a.webp")
    let shown = try #require(SixelReader(result.output))
    #expect(result.status == 0 && shown.width == image.width && shown.height == image.height)
    var sums = (0, 0, 0)
    for index in 0..<image.width * image.height {
      let expected = image.pixels[index * 4..<index * 4 + 4].map { Int($0) }
      guard let color = shown.pixels[index] else {
        #expect(expected[3] < 128)
        continue
      }
      #expect(expected[3] >= 128)
      let differences = zip(color, expected).map { $0 - $1 }
      #expect(abs(differences[0]) <= 52 && abs(differences[1]) <= 44 && abs(differences[2]) <= 52)
      sums = (sums.0 + differences[0], sums.1 + differences[1], sums.2 + differences[2])
    }
    let count = shown.pixels.count { $0 != nil }
    #expect(count > 500 && [sums.0, sums.1, sums.2].allSatisfy { abs($0) < 3 * count })
  }

  @Test func severalImagesAreLabeledWithTheirNames() throws {
    try command.bring("encoder-cwebp-q75.webp", as: "b\u{1B}.webp")
    let one = try command.webp("view", "--protocol", "cells", "--columns", "9", "a.webp").text
    let two = try command.webp("view", "--protocol", "cells", "--columns", "9", "a.webp", "b\u{1B}.webp").text
    #expect(one.hasPrefix("\u{1B}[") && two == "a.webp\n\(one)b\\u{1B}.webp\n\(one)")
  }

  @Test func framesAreDrawnOverThePreviousOne() throws {
    try command.bring("animation-lossy.webp", as: "a.webp")
    let count = try WebP.Animation(command.read("a.webp")).frameCount
    let result = try command.webp("view", "--protocol", "cells", "--loops", "2", "a.webp")
    #expect(result.status == 0)
    #expect(result.text.matches(of: /\u{1B}\[\d+A\r/).count == 2 * count - 1)
  }

  #if os(Linux)
    /// The canvas of 4000 × 4000 pixels needs 64 MB.
    @Test func animationsBeyondTheResourceLimitsAreReported() throws {
      let image = [UInt8](try TestFile.vector("encoder-cwebp-q75.webp").dropFirst(12))
      let frame = FileWriter.littleEndian(0, bytes: 6) + [66, 0, 0, 44, 0, 0, 100, 0, 0, 0] + image
      let file = FileWriter.riff(
        FileWriter.vp8X(flags: 2, width: 4000, height: 4000), FileWriter.chunk("ANIM", [0, 0, 0, 0, 1, 0]),
        FileWriter.chunk("ANMF", frame))
      try Data(file).write(to: command.folder.appendingPathComponent("a.webp"))
      let view = "./webp view --protocol cells a.webp"
      #expect(try command.shell(view).status == 0)
      let result = try command.shell("exec bash -c 'ulimit -d 60000; exec \(view)'")
      #expect(result.status == 75 && result.errors.hasPrefix("webp: a.webp: needs "), "\(result.errors)")
    }
  #endif

  @Test(arguments: 0..<20)
  func base64EqualsThatOfFoundation(_ count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 200) }
    #expect(base64(bytes) == Data(bytes).base64EncodedString())
  }
}
