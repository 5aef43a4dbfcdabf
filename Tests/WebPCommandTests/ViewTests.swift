import Foundation
import PureWebP
import TestSupport
import Testing
import WebPExport

@testable import webp

@Suite struct ViewTests {
  let command = try! Command()

  /// Read as a terminal reads it, the cells are the pixels of the scaled picture.
  @Test(arguments: ["encoder-cwebp-q75.webp", "encoder-cwebp-lossless-z6-alpha.webp"])
  func cellsAreThePixels(_ vector: String) throws {
    try command.bring(vector, as: "a.webp")
    let result = try command.webp("view", "--protocol", "cells", "--columns", "30", "a.webp")
    #expect(result.status == 0)
    var options = WebP.DecodeOptions()
    options.size = .fit(width: 30, height: 46)
    let image = try WebP.decode(command.read("a.webp"), options: options)
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

  /// The upper and the lower pixel of a cell.
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

  @Test func protocolsCarryThePNG() throws {
    try command.bring("encoder-cwebp-q75.webp", as: "a.webp")
    let image = try WebP.decode(command.read("a.webp"))
    for (name, pattern) in [
      ("kitty", /\u{1B}_G[^;]*;([^\u{1B}]*)\u{1B}\\/), ("iterm2", /\u{1B}\]1337;[^:]*:([^\u{7}]*)\u{7}/),
    ] {
      // The pixels are all there however small they are shown.
      let result = try command.webp("view", "--protocol", name, "--columns", "5", "a.webp")
      #expect(result.status == 0)
      let text = result.text.matches(of: pattern).map { String($0.output.1) }
      if name == "kitty" { #expect(text.count > 1 && text.allSatisfy { $0.count <= 4096 }) }
      let png = try #require(Data(base64Encoded: text.joined()))
      #expect(try Array(png) == image.encoded())
    }
  }

  /// 67 × 45 pixels in cells of 10 × 20: as many as they fill, and no more than there are.
  @Test(arguments: [(200, 7, 3), (7, 7, 3), (5, 5, 2), (2, 2, 1)])
  func protocolsAreToldTheSize(_ columns: Int, _ width: Int, _ height: Int) throws {
    try command.bring("encoder-cwebp-q75.webp", as: "a.webp")
    func view(_ name: String) throws -> String {
      try command.webp("view", "--protocol", name, "--columns", "\(columns)", "a.webp").text
    }
    #expect(try view("kitty").contains(",c=\(width),r=\(height),"))
    #expect(try view("iterm2").contains(";width=\(width);preserveAspectRatio=1:"))
  }

  @Test func photosAreTurned() throws {
    try command.bringWithMetadata(as: "a.webp", exif: Data(Exif.turnedRight))
    let pixels = try command.webp("view", "--protocol", "iterm2", "a.webp")
    let png = try #require(pixels.text.firstMatch(of: /:([^:\u{7}]*)\u{7}/))
    let turned = try WebP.decode(command.read("a.webp")).oriented(.right)
    #expect(try Data(base64Encoded: String(png.output.1)) == Data(turned.encoded()))
    // 45 × 67 pixels in 30 columns are 30 × 44⅔.
    let cells = try command.webp("view", "--protocol", "cells", "--columns", "30", "a.webp").text.split(separator: "\n")
    #expect(22...23 ~= cells.count && cells.allSatisfy { $0.count { "▀▄".contains($0) } == 30 })
  }

  /// As everywhere: their frames would have to be turned one by one.
  @Test func animationsAreNotTurned() throws {
    try command.bring("encoder-img2webp-animation.webp", as: "a.webp")
    try command.bringWithMetadata(as: "b.webp", of: "encoder-img2webp-animation.webp", exif: Data(Exif.turnedRight))
    let (plain, turned) = try (view("a.webp"), view("b.webp"))
    #expect(plain.count > 1000 && plain == turned)
    func view(_ name: String) throws -> Data {
      try command.webp("view", "--protocol", "cells", "--columns", "30", "--loops", "1", name).output
    }
  }

  /// What swallows kitty's and iTerm2's protocols passes on the variables of the terminal around it.
  @Test func multiplexersGetCells() throws {
    try command.bring("encoder-cwebp-q75.webp", as: "a.webp")
    let around = "env -u TMUX -u STY -u TERM -u TERM_PROGRAM -u KITTY_WINDOW_ID"
    for (terminal, mark) in [
      ("KITTY_WINDOW_ID=1", "\u{1B}_G"), ("TERM_PROGRAM=ghostty", "\u{1B}_G"), ("TERM_PROGRAM=WezTerm", "\u{1B}]1337;"),
    ] {
      #expect(try command.shell("\(around) \(terminal) ./webp view a.webp").text.hasPrefix(mark))
      for inside in ["TMUX=/tmp/tmux-0/default,1,0", "STY=1.pts-0"] {
        let text = try command.shell("\(around) \(terminal) \(inside) ./webp view a.webp").text
        #expect(text.hasPrefix("\u{1B}[") && text.contains("▀"))
      }
    }
  }

  @Test func animationsAreDrawnOverThemselves() throws {
    try command.bring("animation-lossy.webp", as: "a.webp")
    let count = try WebP.Animation(command.read("a.webp")).frameCount
    let result = try command.webp("view", "--protocol", "cells", "--loops", "2", "a.webp")
    #expect(result.status == 0)
    #expect(result.text.matches(of: /\u{1B}\[\d+A\r/).count == 2 * count - 1)
  }

  @Test(arguments: 0..<20)
  func base64IsThatOfFoundation(_ count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 200) }
    #expect(base64(bytes) == Data(bytes).base64EncodedString())
  }
}
